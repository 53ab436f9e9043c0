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
/** So far ahead a free slot is looked for, and so much of it at a time. */
const HORIZON = 366 * DAY
const WINDOW = 35 * DAY
const MOST_DAYS = 100
/** The number of free slots that are read together. More people rarely queue at the same moment. */
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

/** The slots, which nobody else changes in this transaction's time. */
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

/** Two slots of the same time, between which a post could not tell which one it has. */
const clash = (a: Slot, b: Slot) =>
  a.day === b.day &&
  a.time === b.time &&
  (a.accounts === null || b.accounts === null || a.accounts.some((id) => b.accounts?.includes(id)))

/** Replaces the slots. Posts keep the times that they have. Throws `stale_version`, `validation_failed`. */
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
        ? [{ path: `/slots/${index}`, code: 'duplicate', message: `${slot.day} ${slot.time} is there twice.` }]
        : []),
      ...(slots[index]?.accounts ?? []).flatMap((id, place) =>
        known.some((account) => account.id === id)
          ? []
          : [
              {
                path: `/slots/${index}/accounts/${place}`,
                code: 'unknown_id',
                message: 'There is no such account.',
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

/** The schedule between two times, without one post. */
const standing = (workspaceId: string, from: Date, to: Date, except: string | undefined) => query<ScheduledPost>`
  select p.scheduled_at as at, array(select t.account_id from publication t where t.workspace_id = p.workspace_id
      and t.post_id = p.id and t.dropped_at is null) as accounts
  from post p where p.workspace_id = ${workspaceId} and p.deleted_at is null and p.status = 'SCHEDULED'
    and p.happens_at >= ${from} and p.happens_at < ${to} and p.id is distinct from ${except ?? null}::uuid`

/** A slot is asked for with its whole minute. */
const nextMinute = (at: Date) => new Date(Math.ceil(at.getTime() / 60_000) * 60_000)

/** The slots that are free, looked for in stretches of time until there are enough. */
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

/** Free slots as of now: seen is not taken. */
export async function listFreeSlots(scope: Scope, { from, to, accountIds, postId, limit }: FreeSlotsQuery) {
  const now = scope.now()
  const start = from && from > now ? from : now
  if (to && to.getTime() - (from ?? now).getTime() > MOST_DAYS * DAY) {
    const message = `After \`from\`, by at most ${MOST_DAYS} days.`
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
 * Schedules a post to the next free slot of all its accounts; one that is on the schedule moves there. Of those who queue at
 * once each gets a slot of their own. Throws `no_free_slot`, and what scheduling throws.
 */
export const queuePost = (
  scope: Scope,
  ports: SlotPorts,
  id: string,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> => schedulePost(scope, ports, id, (tx, post) => takeNext(tx, post), role, ifMatch)

/**
 * The first free slot, for this transaction alone: a request at the same moment finds it taken and takes the next one,
 * without waiting. What was free may have been taken before it was held, so it is looked at once more.
 */
async function takeNext(tx: Tx, post: Post): Promise<Date> {
  const slots = await tx.one(slotsOf(tx.workspaceId), 'not_found')
  const to = new Date(tx.now.getTime() + HORIZON)
  for (let from = tx.now; from < to;) {
    const read = (first: Date, last: Date) => tx.run(standing(tx.workspaceId, first, last, post.id))
    const free = await findFree(slots, read, { from, to, targets: post.targets, limit: AT_ONCE })
    const keys = free.map(({ at, accounts }) => `${tx.workspaceId} ${at} ${String(accounts)}`)
    // In their order, and none beyond the first: a sort would hold them all.
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
