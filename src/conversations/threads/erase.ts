import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'

/** Empties erased threads and their messages, and deletes their notes. The rows stay. */
export async function eraseThreads(tx: Tx, threadIds: readonly string[]): Promise<void> {
  await tx.run(query`delete from message where workspace_id = ${tx.workspaceId} and thread_id = any (${threadIds}::uuid[])
    and kind = 'NOTE'`)
  await tx.run(query`update message set text = null, external_id = null, reaction = null,
      removed_at = coalesce(removed_at, ${tx.now})
    where workspace_id = ${tx.workspaceId} and thread_id = any (${threadIds}::uuid[])`)
  await tx.run(query`update thread set key = 'erased:' || id, status = 'CLOSED', snoozed_until = null, unanswered_at = null,
      language = null, tags = '{}', reply_style = null, held = null, window_until = null, human_until = null, read_until = null,
      version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = any (${threadIds}::uuid[])`)
}
