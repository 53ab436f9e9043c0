import { uuidv7 } from 'uuidv7'
import { codeOf, query, sql } from '../core/platform/db.ts'
import type { Events } from '../core/platform/events.ts'
import type { Scopes, Scope, Tx } from '../core/platform/scope.ts'
import { isOfThread, type WaitReason } from './api.ts'
import type { Bulk, Driver, Effects, Sibling } from './driver.ts'
import { errorFor, type FencedRow, type Verdict } from './rules.ts'

// The statements that settle a verdict of a step, a person or a disconnected account, alone or in a batch, with the
// whole of its sequence (deliveries.ts).

interface Locked<Head> {
  head: Head
  siblings: Sibling[]
}

/**
 * Reads and locks the head of a sequence and its deliveries. The second statement reads after the first has its lock.
 */
async function lockSequence<Head>(
  tx: Tx,
  driver: SettlingDriver<Head>,
  { subjectId, id }: Pick<FencedRow, 'subjectId' | 'id'>,
): Promise<Locked<Head> | undefined> {
  // A thread lasts for years, so only its open deliveries are part of a settlement.
  const ofSubject = isOfThread(driver.kind)
    ? sql`thread_id = ${subjectId} and (id = ${id} or state in ('PENDING', 'PREPARING', 'SUBMITTING'))`
    : sql`post_id = ${subjectId}`
  const [[head], siblings] = await Promise.all([
    tx.run(driver.lock(tx.workspaceId, subjectId)),
    tx.run(query<Sibling>`select id, state, position, fence, dropped_at is not null as dropped, next_at, wait_reason, external_id, unproven, error ->> 'code' as code, after_id
      from delivery where workspace_id = ${tx.workspaceId} and ${ofSubject} and kind = ${driver.kind} order by position, id for update`),
  ])
  return head && { head, siblings }
}

/** The parts of a driver that a settlement needs. */
export type SettlingDriver<Head = unknown> = Pick<
  Driver<never, never, Head>,
  'kind' | 'lock' | 'effects' | 'onSettled' | 'onTwice'
>

/**
 * Writes a verdict in a transaction of the caller. It checks fence and state, so a worker that lost the delivery
 * changes nothing. It makes the next delivery of the sequence due, and calls the driver. Without a driver's call,
 * `settleLive` and `failUnsent` (deliveries.ts) end deliveries, and the sweep and `postpone` (queue.ts) make them wait.
 */
export async function settle<Head>(
  tx: Tx,
  driver: SettlingDriver<Head>,
  row: FencedRow,
  verdict: Verdict,
): Promise<'settled' | 'lost'> {
  const found = await findSettleable(tx, driver, row)
  if (!found) return 'lost'
  const { statement, announce } = settlement(tx, driver, found, row, verdict)
  await tx.one(statement, 'invalid_state', { current: row.state, allowed: [] })
  await announce()
  return 'settled'
}

/** Like `settle`, but in its own transaction with two round trips: the change is sent together with the commit. */
export async function settleAlone<Head>(
  scope: Scope,
  driver: SettlingDriver<Head>,
  row: FencedRow,
  verdict: Verdict,
): Promise<'settled' | 'lost'> {
  return scope.transaction(async (tx) => {
    const found = await findSettleable(tx, driver, row)
    if (!found) return 'lost'
    const { statement, announce } = settlement(tx, driver, found, row, verdict)
    tx.last(statement, 'invalid_state')
    await announce()
    return 'settled'
  })
}

/** Ends the deliveries of one kind that have no intent, because their account is disconnected. */
export async function endUnsent<Head>(
  tx: Tx,
  driver: SettlingDriver<Head>,
  accountId: string,
  reason: Parameters<typeof errorFor>[0],
): Promise<void> {
  const waiting =
    await tx.run(query<FencedRow>`select coalesce(post_id, thread_id) as subject_id, id, fence, state from delivery
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and kind = ${driver.kind}
      and state in ('PENDING', 'PREPARING') order by 1, id`)
  for (const row of waiting) await settle(tx, driver, row, { state: 'FAILED', error: errorFor(reason) })
}

/**
 * Reads and locks the delivery with its sequence. Undefined if its fence or state is not the one that the caller knows.
 */
async function findSettleable<Head>(tx: Tx, driver: SettlingDriver<Head>, row: FencedRow) {
  const locked = await lockSequence(tx, driver, row)
  const mine = locked?.siblings.find((each) => each.id === row.id)
  return locked && mine?.fence === row.fence && mine.state === row.state ? { ...locked, mine } : undefined
}

/**
 * Builds one statement for all changes of a settlement, under the fence: if the row is not found, nothing changes and
 * the statement fails.
 */
function settlement<Head>(
  tx: Tx,
  driver: SettlingDriver<Head>,
  { head, siblings, mine }: Locked<Head> & { mine: Sibling },
  row: FencedRow,
  verdict: Verdict,
) {
  const { subjectId } = row
  const code = 'error' in verdict ? verdict.error.code : null
  const after = siblings.map((each) => (each.id === mine.id ? { ...each, state: verdict.state, code } : each))
  const { closing, statements }: Effects = driver.effects?.(tx, { subjectId, head, after }) ?? noEffects
  const open = after.filter((each) => isOpen(each) && each.id !== mine.id)
  const next = closing ? undefined : open.find((each) => each.state === 'PENDING' && !each.nextAt && !each.waitReason)

  const statement = query<object>`
    with mine as (
      update delivery set fence = fence + 1, lease_until = null, turn = null, updated_at = ${tx.now}, ${columns(verdict)}
      where workspace_id = ${tx.workspaceId} and id = ${mine.id} and fence = ${mine.fence} returning id, published_at
    ), next_one as (
      update delivery set next_at = greatest(app_now(), due_at)
      where workspace_id = ${tx.workspaceId} and id = ${next?.id ?? null} and state = 'PENDING' and next_at is null
        and exists (select from mine)
    ), closed as (
      update delivery set state = 'FAILED', phase = null, next_at = null, turn = null, lease_until = null, wait_reason = null,
        fence = fence + 1, error = ${JSON.stringify(errorFor('superseded'))}, updated_at = ${tx.now}
      where ${closing} and workspace_id = ${tx.workspaceId} and id = any (${open.map((each) => each.id)}::uuid[])
        and exists (select from mine)
    ), ${statements}
    select must_find(count(*)) from mine`
  return { statement, announce: () => driver.onSettled(tx, { subjectId, head, mine, verdict, after }) }
}

const noEffects: Effects = { closing: false, statements: sql`nothing_else as (select)` }

const isOpen = ({ dropped, state }: Sibling) =>
  !dropped && (state === 'PENDING' || state === 'PREPARING' || state === 'SUBMITTING')

/** A delivery that is live under a network id, from the worker that holds its fence. */
export interface Live extends Pick<FencedRow, 'id' | 'fence'> {
  workspaceId: string
  subjectId: string
  externalId: string
  permalink: string | null
  publishedAt: Date
}

/**
 * Settles several live deliveries of all workspaces in one statement. It takes only deliveries that are the whole of
 * their sequence (`only`). Returns whether each was settled; the others are unchanged, and `settleAlone` settles them.
 * Rows are judged after they are locked, and the statement never waits for a lock of another transaction. It looks for
 * other deliveries of the sequence before the lock, since a sequence is not edited while one of them is SUBMITTING. It
 * finds them one by one by their keys, so the plan does not depend on statistics of the table.
 */
export async function settleLive(
  { scopes, events, bulk }: { scopes: Scopes; events: Pick<Events, 'publish'>; bulk: Bulk },
  lives: Live[],
): Promise<boolean[]> {
  const rows = lives.map(({ workspaceId, externalId, publishedAt, ...rest }) => ({
    ...rest,
    workspace_id: workspaceId,
    external_id: externalId,
    published_at: publishedAt,
    entry: uuidv7(),
  }))
  const settled = await scopes.ask(
    'settle',
    query<{ id: string }>`
      with known as materialized (
        select l.*, found.post_id from json_to_recordset(${JSON.stringify(rows)}::json)
          as l(workspace_id uuid, id uuid, fence int, external_id text, permalink text, published_at timestamptz, entry uuid)
        cross join lateral (
          select t.post_id from delivery t ${bulk.only}
            and t.workspace_id = l.workspace_id and t.id = l.id and t.fence = l.fence and t.state = 'SUBMITTING'
            and t.dropped_at is null
            and not exists (select from delivery s where s.workspace_id = t.workspace_id and s.post_id = t.post_id and s.kind = t.kind and s.id <> t.id)
          for update of p, t skip locked
        ) found
      ), mine as (
        update delivery t set fence = t.fence + 1, lease_until = null, turn = null, updated_at = app_now(),
          state = 'PUBLISHED', phase = null, next_at = null, wait_reason = null, error = null, external_id = k.external_id,
          permalink = k.permalink, unproven = false, published_at = greatest(k.published_at, t.intent_at)
        from known k where t.workspace_id = k.workspace_id and t.id = k.id
        returning k.workspace_id, k.id, k.post_id, k.external_id, k.entry, t.published_at
      ), ${bulk.statements}
      select id from mine`,
  )
  const ids = new Set(settled.map((row) => row.id))
  return lives.map(({ workspaceId, id, subjectId }) => {
    if (ids.has(id)) events.publish(workspaceId, { kind: 'post', id: subjectId })
    return ids.has(id)
  })
}

/**
 * Records a proof from the network that a delivery is live, in any state and no matter which worker has claimed it. If
 * the network shows it twice, the second id is kept as an error and logged.
 */
export async function recordRemotePost<Head>(
  scope: Scope,
  driver: SettlingDriver<Head>,
  { subjectId, id }: Pick<FencedRow, 'subjectId' | 'id'>,
  seen: Extract<Verdict, { state: 'PUBLISHED' }>,
): Promise<void> {
  await scope.transaction(async (tx) => {
    const locked = await lockSequence(tx, driver, { subjectId, id })
    const mine = locked?.siblings.find((each) => each.id === id)
    if (!locked || !mine || (mine.externalId === seen.externalId && mine.state === 'PUBLISHED')) return
    if (mine.externalId !== null && seen.externalId === null) return
    if (mine.externalId === null) {
      const row: FencedRow = { subjectId, id, fence: mine.fence, state: mine.state }
      const { statement, announce } = settlement(tx, driver, { ...locked, mine }, row, seen)
      tx.last(statement, 'invalid_state')
      await announce()
      return
    }
    scope.log.error(
      { deliveryId: id, externalId: seen.externalId, other: mine.externalId },
      'the network shows a delivery twice',
    )
    await tx.one(
      query`update delivery set error = ${JSON.stringify({ ...errorFor('duplicate'), networkCode: seen.externalId })}, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and external_id = ${mine.externalId} returning id`,
      'not_found',
    )
    driver.onTwice?.(tx, { subjectId, id, externalId: seen.externalId })
    tx.emit({ kind: isOfThread(driver.kind) ? 'conversation' : 'post', id: subjectId })
  })
}

/** Whether a settlement failed because another delivery has this network id already. */
export const isClaimedElsewhere = (error: unknown) => codeOf(error) === '23505'

function columns(verdict: Verdict) {
  const phase = verdict.state === 'SUBMITTING' ? verdict.phase : null
  const state = sql`state = ${verdict.state}, phase = ${phase}`
  switch (verdict.state) {
    case 'PUBLISHED':
      return sql`${state}, next_at = null, wait_reason = null, error = null, external_id = ${verdict.externalId},
        permalink = ${verdict.permalink}, unproven = false, published_at = greatest(${verdict.publishedAt}::timestamptz, intent_at)`
    case 'FAILED':
      return sql`${state}, next_at = null, wait_reason = null,
        error = ${JSON.stringify({ ...verdict.error, ...(verdict.by && { by: verdict.by }) })}, ${restartColumns(verdict)}`
    case 'UNCONFIRMED':
      return sql`${state}, next_at = null, wait_reason = null, error = ${JSON.stringify(verdict.error)}, unproven = true`
    case 'PENDING':
      return sql`${state}, ${waitColumns(verdict)},
        failures = coalesce(${verdict.failures ?? null}::int, failures), backoffs = coalesce(${verdict.backoffs ?? null}::int, backoffs),
        ${restartColumns(verdict)}`
    case 'SUBMITTING':
      return sql`${state}, next_at = ${verdict.nextAt},
        absent_reads = coalesce(${verdict.absent?.reads ?? null}::int, absent_reads),
        absent_at = coalesce(${verdict.absent?.at ?? null}::timestamptz, absent_at),
        backoffs = coalesce(${verdict.backoffs ?? null}::int, backoffs),
        limited_until = coalesce(${verdict.limitedUntil ?? null}::timestamptz, limited_until),
        late_reads = coalesce(${verdict.late?.reads ?? null}::int, late_reads),
        late_read_at = coalesce(${verdict.late?.at ?? null}::timestamptz, late_read_at),
        accepted_at = coalesce(${verdict.acceptedAt ?? null}::timestamptz, accepted_at),
        unread_since = ${verdict.unreadSince ?? null},
        handles = coalesce(${verdict.handles ? JSON.stringify(verdict.handles) : null}::jsonb, handles)`
  }
}

/**
 * Makes a delivery wait for its account, unless the account came back during a step. If the account
 * was disconnected in that time, the delivery does not wait either, and the next claim ends it: the disconnect could
 * not, while a worker was sending it.
 */
function waitColumns({ nextAt, waitReason }: { nextAt: Date; waitReason: WaitReason | null }) {
  if (waitReason !== 'reconnect_needed' && waitReason !== 'account_paused') {
    return sql`next_at = ${nextAt}, wait_reason = ${waitReason}`
  }
  return sql`(next_at, wait_reason) = (
    select case when decided then app_now() else ${nextAt}::timestamptz end, case when decided then null else ${waitReason} end
    from (select a.status = 'DISCONNECTED' or a.status = 'CONNECTED' and a.paused_at is null as decided from social_account a
      where a.workspace_id = delivery.workspace_id and a.id = delivery.account_id for share of a) account)`
}

const restartColumns = ({ restart = false }: { restart?: boolean }) =>
  sql`handles = case when ${restart} then '{}' else handles end, accepted_at = null, unread_since = null`
