import { AppError } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import { later } from '../../delivery/rules.ts'
import { HUMAN_WINDOW, PRIVATE_REPLY_WINDOW } from './rules.ts'

// Whether an answer to a customer can still be sent: by a person, or by a person who approves the bot's draft.

/** Throws `invalid_state` if the account of a conversation is disconnected. */
export function refuseDisconnected(status: string): void {
  if (status !== 'DISCONNECTED') return
  throw new AppError('invalid_state', 'The account is disconnected. Reconnect it to reply.', {
    current: status,
    allowed: ['CONNECTED'],
  })
}

/** Throws `window_closed` if the network no longer accepts direct messages to the customer. */
export function refuseClosed(until: Date | null, now: Date): void {
  if (until === null || until <= now) throw new AppError('window_closed')
}

/** How many windows one statement ends. */
const ENDED_AT_ONCE = 1_000

/**
 * Ends the longer windows, in all workspaces, because the networks grant only the ordinary one. A process with another
 * setting, or a start before, may have opened them. Threads that are locked wait for the next call.
 */
export async function endHumanWindows(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  // A longer window that is open began within its length. The index `thread_newest` has these words.
  const isLonger = sql`coalesce(t.last_in_at, t.opened_at) > app_now() - ${`${HUMAN_WINDOW} milliseconds`}::interval
    and t.human_until > t.window_until and t.human_until > app_now()`
  const workspaces = await scopes.ask(
    'inbox',
    query<{ id: string }>`select w.id from workspace w
      where exists (select from thread t where t.workspace_id = w.id and ${isLonger})`,
  )
  for (const { id } of workspaces) {
    const workspace = scopes.scope(id, scope.actor)
    for (;;) {
      const ended = await workspace.write(query`update thread set human_until = window_until
        where workspace_id = ${id} and id in (select t.id from thread t where t.workspace_id = ${id} and ${isLonger}
          limit ${ENDED_AT_ONCE} for update skip locked) returning id`)
      if (ended.length < ENDED_AT_ONCE) break
    }
  }
}

interface Addressed {
  accountId: string
  /** The id of the comment at its network. */
  commentId: string | null
  commentAt: Date | null
}

/**
 * Refuses a private reply to a comment that is too old for it at every network, and a second one to a comment, even
 * while the first one is still being sent. Throws `window_closed`, `invalid_state`.
 */
export async function refusePrivateReply(tx: Tx, { accountId, commentId, commentAt }: Addressed): Promise<void> {
  if (commentAt !== null && later(commentAt, PRIVATE_REPLY_WINDOW) <= tx.now)
    throw new AppError(
      'window_closed',
      'Networks accept a private reply within 7 days of the comment. Reply below the comment instead.',
    )
  const [other] = await tx.run(query<{
    state: string
  }>`select state from delivery where workspace_id = ${tx.workspaceId}
    and account_id = ${accountId} and kind = 'private_reply' and state <> 'FAILED' and content ->> 'commentId' = ${commentId}`)
  if (other) {
    throw new AppError('invalid_state', 'This comment already has a private reply, and only one is allowed.', {
      current: other.state,
      allowed: ['FAILED'],
    })
  }
}
