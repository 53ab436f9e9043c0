import type { ReleaseAccount } from '../../channels/accounts.ts'
import { AppError } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import { endUnsent, settle } from '../../delivery/settle.ts'
import { errorFor, type FencedRow } from '../../delivery/rules.ts'
import { commentDriver } from './comment.ts'
import { postDriver } from './post.ts'
import { removalDriver } from './removal.ts'

/**
 * Ends the posts, comments and removals that wait for an account that is being disconnected, if the caller has
 * confirmed that. Throws while a target of the account is being sent or has an unknown outcome. Order: the waiting
 * targets, the check of the others, the comments and removals.
 */
export const releaseAccount: ReleaseAccount = async (tx, accountId, confirmed) => {
  const waiting = await tx.run(query<FencedRow>`
    select t.post_id as subject_id, t.id, t.fence, t.state from publication t
    join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
    where t.workspace_id = ${tx.workspaceId} and t.account_id = ${accountId} and t.dropped_at is null
      and t.state in ('PENDING', 'PREPARING') and p.status in ('SCHEDULED', 'PUBLISHING') and p.deleted_at is null
    order by t.post_id for update of p`)
  if (waiting.length > 0 && !confirmed) {
    throw new AppError(
      'account_in_use',
      `${waiting.length} posts still need this account. Send ?confirm=true to continue; these posts will fail.`,
      { count: waiting.length },
    )
  }
  for (const row of waiting) {
    // The check below finds a target that has moved on since.
    await settle(tx, postDriver, row, { state: 'FAILED', error: errorFor('account_disconnected') })
  }
  const [unsure] = await tx.run(query`select from publication where workspace_id = ${tx.workspaceId}
    and account_id = ${accountId} and state in ('SUBMITTING', 'UNCONFIRMED') and dropped_at is null limit 1`)
  if (unsure) throw new AppError('outcome_unknown')
  const [moved] =
    await tx.run(query`select from publication t join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
    where t.workspace_id = ${tx.workspaceId} and t.account_id = ${accountId} and t.dropped_at is null
      and t.state in ('PENDING', 'PREPARING') and p.status = 'PUBLISHING' limit 1`)
  if (moved)
    throw new AppError('unavailable', 'A post is being sent to this account right now. Try again shortly.', {
      retryAfter: 2,
    })
  await endUnsent(tx, commentDriver, accountId, 'account_disconnected')
  await endUnsent(tx, removalDriver, accountId, 'removal_disconnected')
}
