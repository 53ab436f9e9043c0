import { AppError } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import { later } from '../../delivery/rules.ts'
import { PRIVATE_REPLY_WINDOW } from './rules.ts'

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

/** Lets people write only in the ordinary window, in all workspaces: the networks do not grant more. */
export async function endHumanWindows(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const isLonger = sql`human_until > window_until and human_until > app_now()`
  const workspaces = await scopes.ask(
    'inbox',
    query<{ id: string }>`select distinct workspace_id as id from thread where ${isLonger}`,
  )
  for (const { id } of workspaces)
    await scopes.scope(id, scope.actor).write(query`update thread set human_until = window_until
      where workspace_id = ${id} and ${isLonger}`)
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
