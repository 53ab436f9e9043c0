import { query } from '../core/platform/db.ts'
import { SWEEP_LOCK } from '../core/platform/lock-ids.ts'
import type { Scopes, Tx } from '../core/platform/scope.ts'
import type { Schedule } from './driver.ts'
import { COMMIT_LEASE, LONGEST_LOOK, LONGEST_READ, MAX_WAIT } from './rules.ts'

// The statements that interrupt deliveries for a pause, and that end or shorten a wait.

/**
 * Revokes every claim and turn of the workspace that has no intent. Once this is committed, no intent is written, and
 * no sweep that started earlier gives a turn.
 */
export async function holdWorkspace(tx: Tx): Promise<void> {
  await tx.run(query`select pg_advisory_xact_lock(${SWEEP_LOCK})`)
  await tx.run(query`update delivery set fence = fence + 1, state = 'PENDING', phase = null, turn = null, lease_until = null,
      next_at = app_now(), updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and thread_id is null and state in ('PENDING', 'PREPARING')
      and (turn is not null or lease_until is not null)`)
}

/**
 * Spreads posts that became due during a pause: those of each account are `apart` from each other, and each is due at
 * most `latest` after its time. The update takes a row only with the fence that was read, since a person may have
 * cancelled, moved or published the post in the meantime.
 */
export async function spreadOverdue(tx: Tx, apart: string, latest: string): Promise<void> {
  await tx.run(query`update delivery t set
      next_at = least(app_now() + (r.rank - 1) * ${apart}::interval, r.scheduled_at + ${latest}::interval), updated_at = ${tx.now}
    from (select t.id, t.fence, p.scheduled_at, row_number() over (partition by t.account_id order by p.scheduled_at, p.id) as rank
        from post p join delivery t on t.workspace_id = p.workspace_id and t.post_id = p.id and t.kind = 'post'
        where p.workspace_id = ${tx.workspaceId} and p.deleted_at is null and p.status = 'SCHEDULED'
          and p.scheduled_at <= app_now() and p.scheduled_at > app_now() - interval '24 hours'
          and t.state = 'PENDING' and t.next_at <= app_now() and t.dropped_at is null) r
    where t.workspace_id = ${tx.workspaceId} and t.id = r.id and t.fence = r.fence`)
}

/** Wakes deliveries that wait for an account, once the account is connected and not paused. */
export async function wakeAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.run(query`update delivery t set next_at = greatest(app_now(), t.due_at), wait_reason = null, updated_at = ${tx.now}
    from social_account a
    where t.workspace_id = ${tx.workspaceId} and t.account_id = ${accountId} and t.state = 'PENDING' and t.turn is null
      and t.next_at is not null and t.wait_reason in ('reconnect_needed', 'account_paused')
      and a.workspace_id = t.workspace_id and a.id = t.account_id and a.status = 'CONNECTED' and a.paused_at is null
    returning t.id`)
}

/**
 * Makes the next step of a delivery due now if it waits after a failure or for the next read. Throws `invalid_state`.
 */
export async function retryNow(tx: Tx, id: string, current: string): Promise<void> {
  await tx.one(
    query`update delivery set next_at = app_now(), updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and dropped_at is null
        and turn is null and lease_until is null and next_at is not null
        and ((state = 'PENDING' and wait_reason = 'backoff') or (state = 'SUBMITTING' and phase = 'commit'))
      returning id`,
    'invalid_state',
    { current, allowed: [] },
  )
}

/** Makes the first open target of a post due if nothing else would move it. Returns whether there was one. */
export async function wakeFirst(tx: Tx, postId: string): Promise<boolean> {
  const moved = await tx.run(query`update delivery set next_at = app_now()
    where (workspace_id, id) in (select workspace_id, id from delivery where workspace_id = ${tx.workspaceId}
        and post_id = ${postId} and kind = 'post' and dropped_at is null and state in ('PENDING', 'PREPARING', 'SUBMITTING')
        order by position, id limit 1)
      and next_at is null and turn is null and lease_until is null returning id`)
  return moved.length > 0
}

// ---- of all workspaces

/**
 * Wakes deliveries whose account is available again, or was disconnected: the next claim ends those. This catches a
 * delivery that started to wait just as its account came back.
 */
export async function wakeHeld(scopes: Scopes): Promise<void> {
  await scopes.ask(
    'watch',
    query`update delivery t set next_at = greatest(app_now(), t.due_at), wait_reason = null
      from social_account a
      where t.turn is null and t.next_at is not null and t.state = 'PENDING'
        and t.wait_reason in ('reconnect_needed', 'account_paused')
        and a.workspace_id = t.workspace_id and a.id = t.account_id
        and (a.status = 'DISCONNECTED' or a.status = 'CONNECTED' and a.paused_at is null)`,
  )
}

/**
 * Shortens waits that are longer than their kind allows, which happens only after the clock was set back. A wait caused
 * by a network or a used-up budget has no such bound; it becomes longer by the step of the clock.
 */
export async function endOverlongWaits(
  scopes: Scopes,
  { underWay }: Pick<Schedule, 'underWay'>,
  timeScale: number,
): Promise<void> {
  const longest = (wait: number) => `${wait / timeScale} milliseconds`
  await scopes.ask(
    'watch',
    query`update delivery t set due_at = least(t.due_at, app_now()), next_at = app_now() + o.longest,
        lease_until = case when t.lease_until is not null then least(t.lease_until, app_now() + o.longest) end
      from (
        select t.workspace_id, t.id, t.fence, case
            when t.lease_until is not null then ${longest(COMMIT_LEASE)}::interval
            when t.state = 'SUBMITTING' then ${longest(LONGEST_READ)}::interval
            when t.wait_reason = 'backoff' then ${longest(MAX_WAIT)}::interval
            when t.wait_reason in ('media', 'container') then ${longest(LONGEST_LOOK)}::interval
            when t.wait_reason is null then '0'::interval
          end as longest
        from delivery t
        where t.turn is null and t.next_at > app_now() and t.state in ('PENDING', 'PREPARING', 'SUBMITTING')
          and (t.kind <> 'post' or ${underWay})
      ) o
      where t.workspace_id = o.workspace_id and t.id = o.id and t.fence = o.fence and t.turn is null
        and t.next_at > app_now() + o.longest`,
  )
}
