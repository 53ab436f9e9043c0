import { isDeepStrictEqual } from 'node:util'
import { accountsById } from '../../channels/accounts.ts'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { query, sql } from '../../core/platform/db.ts'
import { refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Post } from '../posts/api.ts'
import { schedulePost } from '../posts/posts-schedule.ts'
import type { Ports } from '../../services.ts'
import type { FreeSlot, FreeSlotsQuery, Slot, Slots, SlotsChange } from './api.ts'
import { DAYS, freeOf, occurrences, type ScheduledPost } from './rules.ts'

type SlotPorts = Pick<Ports, 'networks' | 'settings'>

const DAY = 86_400_000
/** How far ahead free slots are searched, in milliseconds, and how much of that in one step. */
const HORIZON = 366 * DAY
const WINDOW = 35 * DAY
const MOST_DAYS = 100
/** How many free slots are read together. More people rarely queue at the same moment. */
const AT_ONCE = 20

const slotsShape = sql`w.timezone, coalesce(q.slots, '[]') as slots, coalesce(q.version, 1) as version,
  iso(coalesce(q.updated_at, w.created_at)) as "updatedAt"`

const slotsOf = (workspaceId: string) => query<Slots>`
  select ${slotsShape} from workspace w left join posting_queue q on q.workspace_id = w.id where w.id = ${workspaceId}`

export async function getSlots(scope: Scope): Promise<Slots> {
  const [[slots]] = await scope.read(slotsOf(scope.workspaceId))
  if (!slots) throw new AppError('not_found')
  return slots
}

/** Locks the slots against other changes until the transaction ends. */
const lockSlots = (tx: Tx): Promise<Slots> =>
  tx.one(
    query<Slots>`with q as (insert into posting_queue (workspace_id) values (${tx.workspaceId})
        on conflict (workspace_id) do update set version = posting_queue.version returning *)
      select ${slotsShape} from workspace w join q on q.workspace_id = w.id`,
    'not_found',
  )

const inOrder = (slots: readonly Slot[]) =>
  slots.toSorted(
    (a, b) =>
      DAYS.indexOf(a.day) - DAYS.indexOf(b.day) ||
      a.time.localeCompare(b.time) ||
      String(a.accounts).localeCompare(String(b.accounts)),
  )

/** Whether two slots at the same time share an account, so that a post could not tell which one it has. */
const clash = (a: Slot, b: Slot) =>
  a.day === b.day &&
  a.time === b.time &&
  (a.accounts === null || b.accounts === null || a.accounts.some((id) => b.accounts?.includes(id)))

/** Replaces the slots. Scheduled posts keep their times. Throws `stale_version`, `validation_failed`. */
export async function setSlots(
  scope: Scope,
  ports: SlotPorts,
  { slots }: SlotsChange,
  ifMatch?: number,
): Promise<Slots> {
  return scope.transaction(async (tx) => {
    const current = await (slots ? lockSlots(tx) : tx.one(slotsOf(tx.workspaceId), 'not_found'))
    refuseStale(current.version, ifMatch)
    if (slots === undefined) return current
    const given: Slot[] = slots.map(({ accounts = null, ...slot }) => ({
      ...slot,
      accounts: accounts && [...new Set(accounts)].toSorted(),
    }))
    const known = await accountsById(tx, ports, [...new Set(given.flatMap(({ accounts }) => accounts ?? []))])
    const faults: Fault[] = given.flatMap((slot, index) => [
      ...(given.slice(0, index).some((other) => clash(slot, other))
        ? [{ path: `/slots/${index}`, code: 'duplicate', message: `${slot.day} ${slot.time} is listed twice.` }]
        : []),
      ...(slots[index]?.accounts ?? []).flatMap((id, place) =>
        known.some((account) => account.id === id)
          ? []
          : [
              {
                path: `/slots/${index}/accounts/${place}`,
                code: 'unknown_id',
                message: 'No account has this ID.',
              },
            ],
      ),
    ])
    if (faults.length > 0) throw invalid(...faults)
    const next = inOrder(given)
    if (isDeepStrictEqual(next, current.slots)) return current
    await tx.one(
      query`update posting_queue set slots = ${JSON.stringify(next)}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and version = ${current.version} returning version`,
      'stale_version',
    )
    tx.record({
      type: 'workspace.slots_changed',
      subject: { workspaceId: tx.workspaceId },
      data: { slots: next.length },
    })
    return tx.one(slotsOf(tx.workspaceId), 'not_found')
  })
}

/** Selects the scheduled posts between two times, except for one post. */
const standing = (workspaceId: string, from: Date, to: Date, except: string | undefined) => query<ScheduledPost>`
  select p.scheduled_at as at, array(select t.account_id from publication t where t.workspace_id = p.workspace_id
      and t.post_id = p.id and t.dropped_at is null) as accounts
  from post p where p.workspace_id = ${workspaceId} and p.deleted_at is null and p.status = 'SCHEDULED'
    and p.happens_at >= ${from} and p.happens_at < ${to} and p.id is distinct from ${except ?? null}::uuid`

/** The next full minute. A post within the minute of a slot takes it, so searches begin at full minutes. */
const nextMinute = (at: Date) => new Date(Math.ceil(at.getTime() / 60_000) * 60_000)

/** Finds free slots, one `WINDOW` after the other, until there are `limit`. */
async function findFree(
  slots: Slots,
  read: (from: Date, to: Date) => Promise<ScheduledPost[]>,
  { from, to, targets, limit }: { from: Date; to: Date; targets?: readonly string[] | undefined; limit: number },
): Promise<FreeSlot[]> {
  const found: FreeSlot[] = []
  if (slots.slots.length === 0) return found
  for (let start = nextMinute(from); start < to && found.length < limit; start = new Date(start.getTime() + WINDOW)) {
    const end = new Date(Math.min(start.getTime() + WINDOW, to.getTime()))
    found.push(...freeOf(occurrences(slots.slots, slots.timezone, start, end), await read(start, end), targets))
  }
  return found.slice(0, limit)
}

/** Returns the slots that are free now. It reserves none. */
export async function listFreeSlots(scope: Scope, { from, to, accountIds, postId, limit }: FreeSlotsQuery) {
  const now = scope.now()
  const start = from && from > now ? from : now
  if (to && to.getTime() - (from ?? now).getTime() > MOST_DAYS * DAY) {
    const message = `Must be at most ${MOST_DAYS} days after \`from\`.`
    throw invalid({ path: '/to', code: 'out_of_range', message, limit: MOST_DAYS })
  }
  const data = await findFree(
    await getSlots(scope),
    async (first, last) => (await scope.read(standing(scope.workspaceId, first, last, postId)))[0],
    {
      from: start,
      to: to ?? new Date(start.getTime() + HORIZON),
      targets: accountIds,
      limit: to ? Number.POSITIVE_INFINITY : limit,
    },
  )
  return { data, nextCursor: null }
}

/**
 * Schedules a post to the next free slot for all its accounts, or moves it there if it is scheduled. Concurrent calls
 * each get a different slot. Throws `no_free_slot`, and what scheduling throws.
 */
export const queuePost = (
  scope: Scope,
  ports: SlotPorts,
  id: string,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> => schedulePost(scope, ports, id, (tx, post) => takeNext(tx, post), role, ifMatch)

/**
 * Locks and returns the first free slot. A concurrent transaction finds it locked and takes the next one without
 * waiting. A slot may have been taken between the search and the lock, so it is read once more.
 */
async function takeNext(tx: Tx, post: Post): Promise<Date> {
  const slots = await tx.one(slotsOf(tx.workspaceId), 'not_found')
  const to = new Date(tx.now.getTime() + HORIZON)
  for (let from = tx.now; from < to;) {
    const read = (first: Date, last: Date) => tx.run(standing(tx.workspaceId, first, last, post.id))
    const free = await findFree(slots, read, { from, to, targets: post.targets, limit: AT_ONCE })
    const keys = free.map(({ at, accounts }) => `${tx.workspaceId} ${at} ${String(accounts)}`)
    // The locks are tried in order and no further than the first success: sorting would lock all of them.
    const [held] = await tx.run(query<{ index: number }>`
      select (index - 1)::int as index from unnest(${keys}::text[]) with ordinality as slot (key, index)
      where pg_try_advisory_xact_lock(hashtextextended(key, 0)) limit 1`)
    const last = free.at(-1)
    if (!last) break
    const slot = held && free[held.index]
    const at = new Date((slot ?? last).at)
    from = new Date(at.getTime() + 60_000)
    if (slot && freeOf([slot], await read(at, from)).length > 0) return at
  }
  throw new AppError('no_free_slot')
}
