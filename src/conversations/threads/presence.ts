import { query } from '../../core/platform/db.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'

/** How many milliseconds a person counts as present after their last request. */
const PRESENT_FOR = 15_000

interface Seen {
  threadId: string
  /** The newest message that was read, or undefined in a thread without messages. */
  messageId?: string | undefined
  typing?: boolean | undefined
  away?: true | undefined
}

/**
 * Records up to which message the caller has read, and that they have the thread open. Others get a hint only if the
 * caller's presence changes. Throws `not_found`.
 */
export async function seeThread(
  scope: Scope,
  { threadId, messageId, typing = false, away }: Seen,
  userId: string,
): Promise<void> {
  await scope.transaction(async (tx) => {
    await markRead(tx, { threadId, messageId }, userId)
    const before = await presenceOf(tx, threadId, userId)
    if (away) {
      await tx.run(query`delete from thread_presence where workspace_id = ${tx.workspaceId} and thread_id = ${threadId}
        and user_id = ${userId}`)
    } else {
      await tx.run(query`insert into thread_presence (workspace_id, thread_id, user_id, typing, until)
        values (${tx.workspaceId}, ${threadId}, ${userId}, ${typing}, ${new Date(tx.now.getTime() + PRESENT_FOR)})
        on conflict (workspace_id, thread_id, user_id) do update set typing = excluded.typing, until = excluded.until`)
    }
    if (away ? before !== null : before?.typing !== typing) tx.emit({ kind: 'presence', id: threadId })
  })
}

/** Records that a person has read a thread up to a message, or up to now without one. Throws `not_found`. */
export async function markRead(
  tx: Tx,
  { threadId, messageId }: Pick<Seen, 'threadId' | 'messageId'>,
  userId: string,
): Promise<void> {
  const { at } = await tx.one(
    messageId === undefined
      ? query<{
          at: Date
        }>`select ${tx.now}::timestamptz as at from thread where workspace_id = ${tx.workspaceId} and id = ${threadId}`
      : query<{
          at: Date
        }>`select at from message where workspace_id = ${tx.workspaceId} and thread_id = ${threadId} and id = ${messageId}`,
    'not_found',
  )
  await tx.run(query`insert into thread_seen (workspace_id, thread_id, user_id, seen_at)
    values (${tx.workspaceId}, ${threadId}, ${userId}, ${at})
    on conflict (workspace_id, thread_id, user_id) do update set seen_at = excluded.seen_at
      where thread_seen.seen_at < excluded.seen_at`)
}

async function presenceOf(tx: Tx, threadId: string, userId: string): Promise<{ typing: boolean } | null> {
  const [present] = await tx.run(query<{ typing: boolean }>`select typing from thread_presence
    where workspace_id = ${tx.workspaceId} and thread_id = ${threadId} and user_id = ${userId} and until > ${tx.now} for update`)
  return present ?? null
}

/** Deletes the presence that has expired, of all workspaces. */
export const forgetPresence = (scopes: Pick<Scopes, 'ask'>, now: Date) =>
  scopes.ask('inbox', query`delete from thread_presence where until < ${now}`)
