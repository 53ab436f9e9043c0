import { byTextAlone, sameText } from '../networks/rules.ts'
import { query, sql } from '../core/platform/db.ts'
import { SWEEP_LOCK } from '../core/platform/lock-ids.ts'
import type { Scopes } from '../core/platform/scope.ts'
import { DELIVERY_KINDS } from './api.ts'
import type { Claimed, Driver, Drivers, Schedule } from './driver.ts'
import { type CallClass, type Claimant, GRACE, LEASE, refusedWith } from './rules.ts'

// Finds due deliveries of all workspaces and claims them (docs/publishing.md): sweep, claim, postponement for a used-up
// call budget, the other deliveries on an account, and the counts for the operator.

/** Milliseconds between two sweeps of an idle process. */
export const SWEEP_EVERY = 1_000
const SWEEP_ROWS = 1000
/** The interval between the turns of one workspace, which defines an order and not a delay. */
const SPACING = '50 milliseconds'

export interface Swept {
  /** The database's time of this sweep. */
  at: Date | null
  full: boolean
  /** Milliseconds until the next delivery is due, if that is before the next sweep. */
  soon: number | null
  /** Whether there may be something to claim, whichever process gave the turn. */
  turns: boolean
  started: { workspaceId: string; postId: string }[]
  /** Posts that are more than a day late. Each must be ended in its own workspace. */
  missed: { workspaceId: string; postId: string; reason: string | null }[]
}

const NOTHING: Swept = { at: null, full: false, soon: null, turns: false, started: [], missed: [] }

const SOON = sql`(select extract(epoch from min(next_at) - app_now())::float8 * 1000 from delivery where turn is null
  and next_at > app_now() and next_at <= app_now() + ${`${SWEEP_EVERY} milliseconds`}::interval)`
const HAS_TURNS = sql`exists (select from delivery where turn is not null and state in ('PENDING', 'PREPARING', 'SUBMITTING'))`

/** SQL condition: the workspace `w` lets the open delivery `t` run. A delivery with an intent is always read back. */
const mayRun = sql`t.state in ('PENDING', 'PREPARING', 'SUBMITTING') and (t.state = 'SUBMITTING'
  or ((w.publishing_paused_at is null or t.thread_id is not null) and w.deleted_at is null))`

/**
 * Gives every due delivery a turn, and starts scheduled posts whose time has come. A post is read again under its lock,
 * so that a concurrent cancel or new time either wins or loses as a whole.
 */
export async function sweep(scopes: Scopes, { admission }: Pick<Schedule, 'admission'>): Promise<Swept> {
  return scopes.across('sweep', async (tx) => {
    // A cached plan made while nothing was due takes seconds when thousands of posts are due. So PostgreSQL plans each
    // sweep, and may use only indexes. Planning the large statement is expensive, and most sweeps find nothing due.
    const [[lock], [now]] = await Promise.all([
      tx.run(query<{ mine: boolean }>`select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as mine,
        set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
        set_config('plan_cache_mode', 'force_custom_plan', true)`),
      tx.run(query<{ at: Date; due: boolean; soon: number | null; turns: boolean }>`
        select app_now() as at, ${SOON} as soon, ${HAS_TURNS} as turns, exists (
          select from delivery t join workspace w on w.id = t.workspace_id where t.turn is null and t.next_at <= app_now()
            and ${mayRun}) as due`),
    ])
    if (!lock?.mine) return { ...NOTHING, turns: true }
    if (!now?.due) return { ...NOTHING, ...now }
    const [found] = await tx.run(query<{
      at: Date
      rows: number
      soon: number | null
      turns: boolean
      started: Swept['started'] | null
      missed: Swept['missed'] | null
    }>`
      with clock as materialized (select app_now() as at),
      due as materialized (
        select t.workspace_id, t.id, t.post_id, t.thread_id, t.kind, t.state, t.next_at, t.position
        from delivery t join workspace w on w.id = t.workspace_id
        where t.turn is null and t.next_at <= (select at from clock)
          and ${mayRun}
          and not exists (select from delivery s where s.workspace_id = t.workspace_id and s.post_id = t.post_id
            and s.kind = t.kind and s.id <> t.id and (s.turn is not null or s.lease_until > (select at from clock)))
          and (t.thread_id is null or not exists (select from delivery s where s.workspace_id = t.workspace_id
            and s.thread_id = t.thread_id and s.kind = t.kind and s.id <> t.id
            and (s.turn is not null or s.lease_until > (select at from clock))))
        order by t.next_at limit ${SWEEP_ROWS}
      ), firsts as materialized (
        select distinct on (workspace_id, coalesce(post_id, thread_id), kind) workspace_id, post_id, kind, id, state, next_at
        from due order by workspace_id, coalesce(post_id, thread_id), kind, (state = 'SUBMITTING') desc, next_at, position
      ), ${admission}, judged as (
        select workspace_id, post_id, id, state, next_at, verdict, reason from judged_posts
        union all
        select workspace_id, post_id, id, state, next_at, 'go', null from firsts where kind <> 'post'
      ), held as (
        update delivery t set wait_reason = j.reason, next_at = t.due_at + ${`${GRACE} milliseconds`}::interval,
          fence = t.fence + 1, updated_at = (select at from clock)
        from judged_posts j where t.workspace_id = j.workspace_id and t.post_id = j.post_id and t.kind = 'post' and j.verdict = 'held'
          and t.state = 'PENDING' and t.dropped_at is null
      ), chosen as materialized (
        select workspace_id, id, state, next_at from judged where verdict in ('go', 'start')
      ), lasts as materialized (
        select workspace_id, greatest((select at from clock), (select max(turn) from delivery l
          where l.workspace_id = w.workspace_id and l.turn is not null)) as last_turn
        from (select distinct workspace_id from chosen) w
      ), ranked as materialized (
        select c.*, lasts.last_turn, row_number() over (partition by c.workspace_id order by c.next_at, c.id) as rank
        from chosen c join lasts on lasts.workspace_id = c.workspace_id
      ), turned as (
        update delivery t set turn = case when r.state = 'SUBMITTING' then (select at from clock)
          else r.last_turn + r.rank * ${SPACING}::interval end
        from ranked r where t.workspace_id = r.workspace_id and t.id = r.id and t.turn is null and t.next_at is not distinct from r.next_at
      )
      select (select at from clock) as at, (select count(*) from due)::int as rows,
        ${SOON} as soon, exists (select from due) or ${HAS_TURNS} as turns,
        (select json_agg(json_build_object('workspaceId', workspace_id, 'postId', id)) from started) as started,
        (select json_agg(json_build_object('workspaceId', workspace_id, 'postId', post_id, 'reason', reason))
          from judged_posts where verdict = 'missed') as missed`)
    return {
      at: found?.at ?? null,
      full: found?.rows === SWEEP_ROWS,
      soon: found?.soon ?? null,
      turns: found?.turns ?? true,
      started: found?.started ?? [],
      missed: found?.missed ?? [],
    }
  })
}

/**
 * Claims up to `slots` deliveries in the order of their turns. The claim is flushed to disk, since otherwise a crash of
 * the database could issue a fence twice. When a worker dies, its lease expires and the row is due again.
 */
export function claim(
  scopes: Scopes,
  { of }: Pick<Drivers, 'of'>,
  { slots, filesUrl, timeScale }: { slots: number; filesUrl: string; timeScale: number },
): Promise<Claimed[]> {
  const lease = `${LEASE / timeScale} milliseconds`
  return scopes.ask(
    'claim',
    query<Claimed>`
      with picked as (
        select workspace_id, id, wait_reason from delivery
        where turn is not null and state in ('PENDING', 'PREPARING', 'SUBMITTING')
        order by turn limit ${slots} for update skip locked
      ), claimed as (
        update delivery t set fence = t.fence + 1, turn = null, lease_until = app_now() + ${lease}::interval,
          next_at = app_now() + ${lease}::interval, wait_reason = null,
          state = case t.state when 'PENDING' then 'PREPARING' else t.state end
        from picked where t.workspace_id = picked.workspace_id and t.id = picked.id returning t.*, picked.wait_reason as waited
      )
      select c.workspace_id, c.id, c.kind, coalesce(c.post_id, c.thread_id) as subject_id, c.after_id, c.account_id, c.state, c.fence, c.tries, c.failures, c.backoffs,
        coalesce(c.due_at, app_now()) as due_at, c.waited, c.intent_at, c.first_intent_at, c.absent_reads, c.absent_at, c.late_reads, c.late_read_at,
        c.handles, c.composed, c.sent, c.phase, c.accepted_at, c.unread_since, c.network_at, c.limited_until, c.unproven,
        a.platform, a.network_user, a.external_id as external_account_id, a.access_token,
        ${byKind(of, ({ calls }) => calls)} as calls, ${byKind(of, ({ subject }) => subject(filesUrl))} as subject
      from claimed c join workspace w on w.id = c.workspace_id
      join social_account a on a.workspace_id = c.workspace_id and a.id = c.account_id`,
  )
}

/** SQL that has its own part for each kind of the delivery `c`. */
const byKind = (of: Drivers['of'], part: (driver: Driver) => ReturnType<typeof sql>) => {
  const cases = DELIVERY_KINDS.map((kind) => sql`when ${kind} then ${part(of[kind])}`)
  return sql`case c.kind ${sql.join(cases, sql` `)} end`
}

export interface Others {
  /** The given ids that another delivery has. */
  claimed: string[]
  /** Other deliveries that would look the same and have no id yet. */
  withoutId: Claimant[]
}

/**
 * Returns the other deliveries of this kind that this service sent to the same account of the network, in any
 * workspace. A post without handles (text alone, or pictures that leave none) is recognized only by its text. So a post
 * with that text may belong to any delivery that sent it and has no id yet.
 */
export async function othersOn(
  scopes: Scopes,
  { id, kind, platform, externalAccountId, sent, intentAt, handles }: Claimed,
  ids: string[],
): Promise<Others> {
  // Comments are below different posts, so the same text there does not belong to another delivery.
  const text = sent && kind === 'post' && Object.keys(handles).length === 0 ? sent.text : null
  const rows = await scopes.ask(
    'reconcile',
    query<{ id: string; externalId: string | null; networkAt: Date | null; intentAt: Date; text: string | null }>`
      select t.id, t.external_id, t.network_at, t.sent ->> 'text' as text, coalesce(t.first_intent_at, t.intent_at) as intent_at from social_account a
      join delivery t on t.workspace_id = a.workspace_id and t.account_id = a.id
      where a.platform = ${platform} and a.external_id = ${externalAccountId} and t.id <> ${id} and t.kind = ${kind}
        and (t.external_id = any (${ids}::text[])
          or (t.external_id is null and t.state in ('SUBMITTING', 'UNCONFIRMED', 'PUBLISHED') and ${text}::text is not null
            and (t.sent -> 'media' = '[]' or a.platform = any (${byTextAlone})) and t.intent_at > ${intentAt}::timestamptz - interval '1 day'))`,
  )
  return {
    claimed: rows.flatMap((row) => row.externalId ?? []),
    withoutId: rows.filter((row) => row.externalId === null && sameText(row.text ?? '', text ?? '')),
  }
}

/**
 * Returns the posts of this service on an account of a network, in any workspace: the given ids that a delivery has,
 * and the deliveries that may be live there and have no id yet.
 */
export async function postsOn(
  scopes: Pick<Scopes, 'ask'>,
  account: { platform: string; externalId: string },
  ids: string[],
): Promise<{ claimed: string[]; withoutId: { id: string; text: string }[] }> {
  const rows = await scopes.ask(
    'reconcile',
    query<{ id: string; externalId: string | null; text: string | null }>`
      select t.id, t.external_id, t.sent ->> 'text' as text from social_account a
      join delivery t on t.workspace_id = a.workspace_id and t.account_id = a.id
      where a.platform = ${account.platform} and a.external_id = ${account.externalId} and t.kind = 'post'
        and (t.external_id = any (${ids}::text[])
          or (t.external_id is null and t.state in ('SUBMITTING', 'UNCONFIRMED', 'PUBLISHED')))`,
  )
  return {
    claimed: rows.flatMap((row) => row.externalId ?? []),
    withoutId: rows.filter((row) => row.externalId === null).map(({ id, text }) => ({ id, text: text ?? '' })),
  }
}

/** A person whose calls of one class are used up until a time. */
interface UsedUp {
  networkUser: string
  platforms: string[]
  refused: CallClass
  until: Date
  callsPerHour: number
}

/**
 * Postpones the ready deliveries of a person until calls are free, spaced apart: those of the refused class and of the
 * classes below it. The classes above it may still get calls. In each sequence, the next delivery goes first. The
 * statement waits for no lock: it passes over deliveries that are locked, such as one that is being stopped. If all
 * behind are, the sequence goes on with the first.
 */
export async function postpone(
  scopes: Scopes,
  { of }: Pick<Drivers, 'of'>,
  { networkUser, platforms, refused, until, callsPerHour }: UsedUp,
): Promise<void> {
  const spacing = `${Math.ceil(3_600_000 / callsPerHour)} milliseconds`
  await scopes.ask(
    'reserve',
    query`
      with theirs as (
        select c.workspace_id, c.id, c.turn from delivery c
        join social_account a on a.workspace_id = c.workspace_id and a.id = c.account_id
        where c.turn is not null and c.state = 'PENDING' and a.network_user = ${networkUser}
          and a.platform = any (${platforms}::text[]) and ${byKind(of, ({ calls }) => calls)} = any (${refusedWith(refused)}::text[])
        order by c.turn for update of c skip locked
      ), moved as (
        update delivery t set turn = null, wait_reason = 'limit', fence = t.fence + 1,
          next_at = ${until}::timestamptz + r.rank * ${spacing}::interval
        from (select workspace_id, id, row_number() over (order by turn, id) as rank from theirs) r
        where t.workspace_id = r.workspace_id and t.id = r.id returning t.workspace_id, t.id, coalesce(t.post_id, t.thread_id) as subject_id, t.kind
      ), behind as (
        select b.workspace_id, b.id, b.position, m.subject_id from delivery b
        join moved m on m.workspace_id = b.workspace_id and (b.post_id = m.subject_id or b.thread_id = m.subject_id)
          and m.kind = b.kind and m.id <> b.id
        where b.state = 'PENDING' and b.next_at is null and b.wait_reason is null and b.dropped_at is null
        for update of b skip locked
      )
      update delivery s set next_at = greatest(app_now(), s.due_at)
      from (select distinct on (workspace_id, subject_id) workspace_id, id from behind
        order by workspace_id, subject_id, position, id) next_one
      where s.workspace_id = next_one.workspace_id and s.id = next_one.id`,
  )
}

export interface QueueRow {
  state: string
  /** Why they wait; '' if they wait for their time or their turn. */
  reason: string
  count: number
  /** Seconds since the oldest of them was due; 0 if none is due. */
  overdue: number
}

/** Counts the open deliveries, for the operator. */
export function countQueue(scopes: Scopes): Promise<QueueRow[]> {
  const counted = sql`t.state, coalesce(t.wait_reason, '') as reason, count(*)::int as count,
    greatest(0, extract(epoch from app_now() - min(t.due_at)))::float8 as overdue`
  return scopes.ask(
    'watch',
    query<QueueRow>`
      select state, reason, sum(count)::int as count, max(overdue) as overdue from (
        select ${counted} from post p join delivery t on t.workspace_id = p.workspace_id and t.post_id = p.id and t.kind = 'post'
        where p.status in ('SCHEDULED', 'PUBLISHING') and p.deleted_at is null and t.dropped_at is null
          and t.state in ('PENDING', 'PREPARING', 'SUBMITTING')
        group by 1, 2
        union all
        select ${counted} from delivery t where t.kind <> 'post' and t.state in ('PENDING', 'PREPARING', 'SUBMITTING')
        group by 1, 2
        union all
        select 'UNCONFIRMED', '', count(*)::int, 0
        from post p join delivery t on t.workspace_id = p.workspace_id and t.post_id = p.id and t.kind = 'post'
        where p.status in ('PARTIALLY_PUBLISHED', 'FAILED') and p.deleted_at is null and t.dropped_at is null
          and t.state = 'UNCONFIRMED'
      ) counted group by 1, 2`,
  )
}
