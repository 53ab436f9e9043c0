import { AppError } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { SyncPlanned } from './api.ts'
import { BY_HAND_EVERY, LATER, SEARCHED_EVERY } from './rules.ts'

/** How many of the newest posts are read again: those of one list. Older ones keep their times, which are far apart. */
const NEWEST = 25

/**
 * Enqueues an immediate reading of an account: its days and gaps, new posts and the newest ones. Throws `not_found`,
 * `invalid_state` if the account is not connected, and `rate_limited` within 15 minutes of the last one.
 */
export function syncByHand(scope: Scope, accountId: string): Promise<SyncPlanned> {
  return scope.transaction(async (tx) => {
    const [account] = await tx.run(query<{ status: string; byHandAt: Date | null }>`
      select a.status, s.by_hand_at from social_account a
      left join account_sync s on s.workspace_id = a.workspace_id and s.account_id = a.id
      where a.workspace_id = ${tx.workspaceId} and a.id = ${accountId} for update of a`)
    if (!account) throw new AppError('not_found')
    if (account.status !== 'CONNECTED') {
      throw new AppError('invalid_state', 'The account isn’t connected. Reconnect it first.', {
        current: account.status,
        allowed: ['CONNECTED'],
      })
    }
    const wait = account.byHandAt ? account.byHandAt.getTime() + BY_HAND_EVERY - tx.now.getTime() : 0
    if (wait > 0) {
      throw new AppError('rate_limited', 'This account was updated less than 15 minutes ago. Try again later.', {
        retryAfter: Math.ceil(wait / 1000),
      })
    }
    const longAgo = new Date(tx.now.getTime() - SEARCHED_EVERY)
    await tx.run(query`insert into account_sync as s (workspace_id, account_id, next_at, by_hand_at)
      values (${tx.workspaceId}, ${accountId}, ${tx.now}, ${tx.now})
      on conflict (workspace_id, account_id) do update set next_at = ${tx.now}, by_hand_at = ${tx.now},
        days_at = case when s.days_at is not null then least(s.days_at, ${longAgo}) end,
        found_at = case when s.found_at is not null then least(s.found_at, ${longAgo}) end`)
    await tx.run(query`update measured_post set next_read_at = ${tx.now} where workspace_id = ${tx.workspaceId} and id in (
      select id from measured_post where workspace_id = ${tx.workspaceId} and account_id = ${accountId}
        and gone_at is null and next_read_at is not null and published_at > ${new Date(tx.now.getTime() - LATER)} order by published_at desc limit ${NEWEST})`)
    tx.enqueue('analytics-sync', { accountId }, { key: `sync:${accountId}` })
    return { accountId, nextAt: tx.now.toISOString() }
  })
}
