import type { RawBuilder } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { AppError } from '../../core/errors.ts'
import type { Feature, Quota } from '../../core/http/endpoint.ts'
import { notify } from '../notifications/notifications.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { LastRefused, type ReadAtCommit, type Scope, type Tx } from '../../core/platform/scope.ts'

/** Minutes for which an unfinished reservation counts as used. */
export const RESERVATION_MINUTES = 10
/** The used part of a quota from which the admins are notified. */
const NEAR = 0.8

/**
 * Whether the plan of a workspace includes one of these features. What runs by itself asks this; the gate asks it for a
 * request.
 */
export const isInPlan = (workspaceId: RawBuilder<unknown>, ...features: readonly Feature[]) =>
  sql<boolean>`exists (select from subscription s
    join plan_feature f on f.plan_id = s.plan_id and f.feature_id = any (${features}::text[])
    where s.workspace_id = ${workspaceId})`

/** Throws `feature_not_in_plan`, with the plans that include the feature, if the workspace's plan does not. */
export async function refuseWithout(tx: Tx, feature: Feature): Promise<void> {
  const plans = await tx.run(
    query<{ planId: string; own: boolean }>`select f.plan_id, f.plan_id = s.plan_id as own
      from subscription s, plan_feature f join plan p on p.id = f.plan_id
      where s.workspace_id = ${tx.workspaceId} and f.feature_id = ${feature} order by p.position`,
  )
  if (plans.some(({ own }) => own)) return
  throw new AppError('feature_not_in_plan', undefined, { feature, plans: plans.map(({ planId }) => planId) })
}

interface Room {
  period: string
  amount: number | null
  used: number
  reserved: number
  resetsAt: Date | null
}

/** The amount of a quota that running operations reserve in a period, from the expressions of their ids. */
export const reservedIn = (workspace: string, quota: string, period: string) =>
  sql`(select coalesce(sum(h.amount), 0)::bigint from usage_hold h where h.workspace_id = ${sql.ref(workspace)}
    and h.quota_id = ${sql.ref(quota)} and h.period = ${sql.ref(period)} and h.expires_at > app_now())`

/** The amount reserved for running operations, of the use `u` of a quota. */
const reserved = reservedIn('u.workspace_id', 'u.quota_id', 'u.period')

/** When the use of quota `q` in a period of workspace `w` starts from zero again. Null: never. */
export const resetsAt = (period: string) =>
  sql`case when q.kind = 'monthly' then (${sql.ref(period)} + interval '1 month')::timestamp at time zone w.timezone end`

/**
 * The statement that locks the use of quotas. It is separate, since one that waited for the lock would see the earlier
 * reservations.
 */
const usageLockStatement = (tx: Tx, quotas: readonly Quota[]) =>
  query`select from workspace_usage u join quota q on q.id = u.quota_id join workspace w on w.id = u.workspace_id
    where u.workspace_id = ${tx.workspaceId} and u.quota_id = any (${quotas})
      and u.period = usage_period(w.id, q.kind, w.timezone)
    order by u.quota_id for update of u`

/** Locks the use of quotas, in the same packet as the next statement. */
const addUsageLock = (tx: Tx, quotas: readonly Quota[]): void => tx.lock(usageLockStatement(tx, quotas))

/** Locks the use of a quota in the current period and returns its room. */
async function lockAndReadRoom(tx: Tx, quota: Quota): Promise<Room> {
  await tx.run(query`insert into workspace_usage (workspace_id, quota_id, period)
    select w.id, q.id, usage_period(w.id, q.kind, w.timezone) from workspace w, quota q
    where w.id = ${tx.workspaceId} and q.id = ${quota} on conflict do nothing`)
  addUsageLock(tx, [quota])
  return tx.one(
    query<Room>`select u.period::text, pq.amount, u.used, ${reserved} as reserved,
      ${resetsAt('u.period')} as resets_at
    from workspace_usage u join workspace w on w.id = u.workspace_id join quota q on q.id = u.quota_id
    join subscription s on s.workspace_id = u.workspace_id
    join plan_quota pq on pq.plan_id = s.plan_id and pq.quota_id = u.quota_id
    where u.workspace_id = ${tx.workspaceId} and u.quota_id = ${quota}
      and u.period = usage_period(w.id, q.kind, w.timezone)
    for update of u`,
    'not_found',
  )
}

function refuseBeyond(room: Room, quota: Quota, amount: number) {
  if (room.amount === null || room.used + room.reserved + amount <= room.amount) return
  throw new AppError('quota_exceeded', undefined, {
    quota,
    limit: room.amount,
    used: room.used + room.reserved,
    resetsAt: room.resetsAt?.toISOString() ?? null,
    ...(amount > 1 && { cost: amount }),
  })
}

/**
 * Uses `amount` of a quota with the transaction, or throws `quota_exceeded`. Concurrent uses never exceed the limit.
 * Returns the period that was charged.
 */
export async function useQuota(tx: Tx, quota: Quota, amount: number): Promise<string> {
  addUsageLock(tx, [quota])
  const [used] = await tx.run(query<Used & { period: string }>`update workspace_usage u set used = u.used + ${amount}
    from workspace w, quota q, subscription s, plan_quota pq
    where u.workspace_id = ${tx.workspaceId} and w.id = u.workspace_id and q.id = ${quota} and u.quota_id = q.id
      and s.workspace_id = w.id and pq.plan_id = s.plan_id and pq.quota_id = q.id
      and u.period = usage_period(w.id, q.kind, w.timezone)
      and (pq.amount is null or u.used + ${reserved} + ${amount} <= pq.amount)
    returning u.used, u.period::text, pq.amount as limit`)
  if (used) {
    await tellOfUse(tx, quota, amount, used)
    return used.period
  }
  const room = await lockAndReadRoom(tx, quota)
  refuseBeyond(room, quota, amount)
  await tellOfUse(tx, quota, amount, await tx.one(addUse(tx, quota, room.period, amount), 'not_found'))
  return room.period
}

/**
 * Runs a transaction that uses `amount` of a quota by calling `use` once, or throws `quota_exceeded`. The quota is locked
 * in the packet of the commit, so that requests of one workspace wait for no further trip of each other. If the use would
 * reach the limit or an amount that admins are notified of, that attempt is undone, and `work` runs again with
 * `useQuota`.
 */
export async function useQuotaAtCommit<T>(
  scope: Scope,
  quota: Quota,
  amount: number,
  work: (tx: Tx, use: () => Promise<unknown>) => Promise<T | ReadAtCommit<T>>,
): Promise<T> {
  const atCommit = async (tx: Tx) =>
    tx.last(useBelowMarks(tx, quota, amount), 'quota_exceeded', { before: [usageLockStatement(tx, [quota])] })
  try {
    return await scope.transaction((tx) => work(tx, () => atCommit(tx)))
  } catch (error) {
    if (!(error instanceof LastRefused)) throw error
  }
  return scope.transaction((tx) => work(tx, () => useQuota(tx, quota, amount)))
}

/** Uses a quota if it stays below its limit and reaches no amount that admins are notified of. */
const useBelowMarks = (tx: Tx, quota: Quota, amount: number) => query`with clear as (
    update workspace_usage u set used = u.used + ${amount}
    from workspace w, quota q, subscription s, plan_quota pq
    where u.workspace_id = ${tx.workspaceId} and w.id = u.workspace_id and q.id = ${quota} and u.quota_id = q.id
      and s.workspace_id = w.id and pq.plan_id = s.plan_id and pq.quota_id = q.id
      and u.period = usage_period(w.id, q.kind, w.timezone)
      and (pq.amount is null or u.used + ${reserved} + ${amount} < pq.amount
        and not (u.used < pq.amount * ${NEAR}::float8 and u.used + ${amount} >= pq.amount * ${NEAR}::float8))
    returning u.used)
  select must_find(count(*)) from clear`

interface Used {
  used: number
  limit: number | null
}

/** Notifies the admins when the use of a quota passes four fifths of it, and when it is used up. */
async function tellOfUse(tx: Tx, quota: Quota, amount: number, { used, limit }: Used): Promise<void> {
  if (limit === null) return
  const reaches = (mark: number) => used >= mark && used - amount < mark
  const kind = reaches(limit) ? 'quota_reached' : reaches(limit * NEAR) ? 'quota_near' : undefined
  if (kind) await notify(tx, { roles: ['OWNER', 'ADMIN'] }, kind, { quota, used, limit })
}

/**
 * Throws `quota_exceeded` if there is no room for one more beside what is used and promised. This holds until the end
 * of the transaction. `promised` is counted under the lock: before it, two at once would miss each other's promise.
 */
export async function assertQuota(tx: Tx, quota: Quota, promised: () => number | Promise<number>): Promise<void> {
  const room = await lockAndReadRoom(tx, quota)
  refuseBeyond({ ...room, reserved: room.reserved + (await promised()) }, quota, 1)
}

/** Gives back an amount of a stock quota, for objects that no longer exist. */
export async function giveBack(
  tx: Tx,
  quota: Extract<Quota, 'social_accounts' | 'members' | 'media_bytes'>,
  amount: number,
) {
  await tx.one(addUse(tx, quota, '0001-01-01', -amount), 'not_found')
}

const addUse = (tx: Tx, quota: Quota, period: string, amount: number) =>
  query<Used>`update workspace_usage u set used = greatest(used + ${amount}, 0)
    where workspace_id = ${tx.workspaceId} and quota_id = ${quota} and period = ${period}
    returning used, (select pq.amount from subscription s join plan_quota pq on pq.plan_id = s.plan_id
      where s.workspace_id = u.workspace_id and pq.quota_id = u.quota_id) as limit`

export interface QuotaReservation {
  id: string
  quota: Quota
}

interface ReservedAmount extends QuotaReservation {
  amount: number
}

interface WantedQuota extends ReservedAmount {
  /** After how many minutes the reservation lapses if nothing renews it. */
  minutes: number
}

export const newReservation = (quota: Quota, amount: number, minutes = RESERVATION_MINUTES): WantedQuota => ({
  id: uuidv7(),
  quota,
  amount,
  minutes,
})

/**
 * Reserves `amount` of a quota for a running operation, or throws `quota_exceeded`. A reservation that is not charged
 * lapses after `minutes`.
 */
export async function reserveQuota(tx: Tx, quota: Quota, amount: number, minutes?: number): Promise<QuotaReservation> {
  const reservation = newReservation(quota, amount, minutes)
  await reserveAll(tx, [reservation])
  return reservation
}

/** Reserves several quotas in one round trip: all or none. Throws for the first one without room. */
export async function reserveAll(tx: Tx, wanted: readonly WantedQuota[]): Promise<void> {
  const quotas = wanted.map(({ quota }) => quota)
  // Makes the row if the period is new.
  tx.lock(query`insert into workspace_usage (workspace_id, quota_id, period)
    select w.id, q.id, usage_period(w.id, q.kind, w.timezone) from workspace w, quota q
    where w.id = ${tx.workspaceId} and q.id = any (${quotas}) order by q.id on conflict do nothing`)
  addUsageLock(tx, quotas)
  const rooms = await tx.run(
    whole<Room & { quota: Quota }>(sql`with ${reservationCtes(tx, wanted)}
      select quota_id as quota, period::text, amount, used, reserved, resets_at from room`),
  )
  for (const { quota, amount } of wanted) {
    const room = rooms.find((each) => each.quota === quota)
    if (!room) throw new AppError('not_found')
    refuseBeyond(room, quota, amount)
  }
}

/**
 * The statements that reserve several quotas with the commit, for `LastOptions.before`. They refuse if a quota has no
 * room, or is used for the first time in its period. `reserveAll` then reserves, or names the refusal.
 */
export const reserveAtCommit = (tx: Tx, wanted: readonly WantedQuota[]) => [
  usageLockStatement(
    tx,
    wanted.map(({ quota }) => quota),
  ),
  query`with ${reservationCtes(tx, wanted)} select must_find((select count(*) from made))`,
]

/**
 * The part of a statement that reserves several quotas whose use is locked: all or none. `room` has what each has left,
 * `made` the reservations.
 */
const reservationCtes = (tx: Tx, wanted: readonly WantedQuota[]) => sql`
    wanted as (select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as n(id uuid, quota text, amount bigint, minutes int)),
    room as (select n.id, n.amount as more, n.minutes, u.quota_id, u.period, pq.amount, u.used, ${reserved} as reserved,
        ${resetsAt('u.period')} as resets_at
      from wanted n join workspace_usage u on u.workspace_id = ${tx.workspaceId} and u.quota_id = n.quota
      join workspace w on w.id = u.workspace_id join quota q on q.id = u.quota_id
      join subscription s on s.workspace_id = u.workspace_id
      join plan_quota pq on pq.plan_id = s.plan_id and pq.quota_id = u.quota_id
      where u.period = usage_period(w.id, q.kind, w.timezone)),
    lapsed as (delete from usage_hold where workspace_id = ${tx.workspaceId} and expires_at <= app_now()),
    made as (insert into usage_hold (workspace_id, id, quota_id, period, amount, expires_at)
      select ${tx.workspaceId}, id, quota_id, period, more, app_now() + make_interval(mins => minutes) from room
      where (select count(*) from room) = ${wanted.length}
        and not exists (select from room r where r.used + r.reserved + r.more > r.amount) returning id)`

/** Restarts the time of reservations that have not lapsed, when an operation that waited for its turn begins. */
export const renewReservations = (workspaceId: string, ids: ReturnType<typeof sql>) =>
  sql`update usage_hold set expires_at = app_now() + make_interval(mins => ${RESERVATION_MINUTES})
    where workspace_id = ${workspaceId} and id in (${ids}) and expires_at > app_now() returning id`

/** Extends reservations until a time, since their operation waits for a person. */
export const keepReservations = (workspaceId: string, ids: ReturnType<typeof sql>, until: Date) =>
  sql`update usage_hold set expires_at = ${until} where workspace_id = ${workspaceId} and id in (${ids}) and expires_at > app_now()
    returning id`

/** Ends reservations that have lapsed. Their operation is charged only if there is room for it again. */
export const endLapsed = (workspaceId: string, ids: ReturnType<typeof sql>) =>
  sql`delete from usage_hold where workspace_id = ${workspaceId} and id in (${ids}) and expires_at <= app_now() returning id`

/** Ends reservations without a charge. */
export const releaseReservations = (workspaceId: string, ids: ReturnType<typeof sql>) =>
  sql`delete from usage_hold where workspace_id = ${workspaceId} and id in (${ids}) returning id`

/**
 * Ends a reservation: charges `amount` of it and frees the rest; 0 releases it. A lapsed one is charged all the same.
 * Returns the period that was charged.
 */
export async function chargeReservation(
  tx: Tx,
  { id, quota }: QuotaReservation,
  amount: number,
): Promise<string | undefined> {
  const given = sql`select ${id}::uuid as id, ${amount}::bigint as amount`
  const charges = await tx.run(query<Charge>`with ${chargeCtes(tx.workspaceId, given)} select * from charged`)
  return (await charge(tx, [{ id, quota, amount }], charges)).get(quota)
}

/** A charge on a quota in a period. */
export interface Charge extends Used {
  quota: Quota
  period: string
}

/** Whether using `more` of the use `u` of a quota reaches an amount that admins are notified of. */
const reachesMark = (more: ReturnType<typeof sql>) => sql`exists (select from subscription s
  join plan_quota pq on pq.plan_id = s.plan_id and pq.quota_id = u.quota_id
  join lateral (values (pq.amount::float8), (pq.amount * ${NEAR}::float8)) m(mark) on u.used < m.mark and u.used + ${more} >= m.mark
  where s.workspace_id = u.workspace_id)`

/**
 * The part of a statement that ends the reservations of `given` (id, amount) as `chargeReservation` does, if they still
 * exist. `charged` has their rows, a `Charge` each. `charge` does the rest. With `belowMarks` a charge that admins are
 * notified of is left out, so that nothing is left to do if no reservation had lapsed.
 */
export const chargeCtes = (
  workspaceId: string,
  given: ReturnType<typeof sql>,
  { belowMarks = false }: { belowMarks?: boolean } = {},
) => sql`given as (${given}),
  released as (delete from usage_hold h using given g where h.workspace_id = ${workspaceId} and h.id = g.id
    returning h.quota_id, h.period, g.amount),
  locked as materialized (select u.quota_id, u.period, r.amount from workspace_usage u
    join released r on r.quota_id = u.quota_id and r.period = u.period
    where u.workspace_id = ${workspaceId} and r.amount > 0 order by u.quota_id for update of u),
  charged as (update workspace_usage u set used = u.used + l.amount from locked l
    where u.workspace_id = ${workspaceId} and u.quota_id = l.quota_id and u.period = l.period
      and ${belowMarks ? sql`not ${reachesMark(sql`l.amount`)}` : sql`true`}
    returning u.quota_id as quota, u.period::text, u.used, (select pq.amount from subscription s
      join plan_quota pq on pq.plan_id = s.plan_id and pq.quota_id = u.quota_id
      where s.workspace_id = u.workspace_id) as limit)`

/**
 * Notifies about the charges, and charges the reservations that had lapsed. Returns the period in which each quota was
 * charged.
 */
export async function charge(
  tx: Tx,
  ended: readonly ReservedAmount[],
  charges: readonly Charge[],
): Promise<ReadonlyMap<Quota, string>> {
  const periods = new Map<Quota, string>()
  for (const { quota, amount } of ended) {
    if (amount === 0) continue
    const use = charges.find((each) => each.quota === quota)
    if (use) await tellOfUse(tx, quota, amount, use)
    periods.set(quota, use?.period ?? (await useQuota(tx, quota, amount)))
  }
  return periods
}
