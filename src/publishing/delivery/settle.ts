import { uuidv7 } from 'uuidv7'
import type { Handles } from '../../networks/network.ts'
import { notify } from '../../team/notifications/notifications.ts'
import { codeOf, query, sql } from '../../core/platform/db.ts'
import type { Events } from '../../core/platform/events.ts'
import type { Platform, Scope, Tx } from '../../core/platform/scope.ts'
import type { Publication, PublicationError, Status } from '../posts/api.ts'
import { isOpen, outcome } from '../posts/rules.ts'
import { giveUpFirstComment, oweFirstComment } from './first-comment.ts'
import { ended } from './rules.ts'

/** How a publication ends, or what it waits for. Times are those of the database's clock. */
export type Settlement =
  | { state: 'PUBLISHED'; externalId: string | null; permalink: string | null; publishedAt: Date }
  /** `by`: the user who stopped it. */
  | { state: 'FAILED'; error: PublicationError; by?: string | null; restart?: boolean }
  | { state: 'UNCONFIRMED'; error: PublicationError }
  | {
      state: 'PENDING'
      nextAt: Date
      waitReason: Publication['waitReason']
      failures?: number
      backoffs?: number
      /** What was prepared is of no use any more. */
      restart?: boolean
    }
  | {
      state: 'SUBMITTING'
      phase: Publication['phase']
      nextAt: Date
      acceptedAt?: Date
      /** What it is known by, where the network told it only now. */
      handles?: Handles
      unreadSince?: Date | null
      absent?: { reads: number; at: Date | null }
      late?: { reads: number; at: Date | null }
      limitedUntil?: Date
      backoffs?: number
    }

/** So many signs of its text tell which post it is. */
const EXCERPT = 80

interface Sibling {
  id: string
  state: Publication['state']
  position: number
  fence: number
  dropped: boolean
  nextAt: Date | null
  waitReason: string | null
  externalId: string | null
  /** It was UNCONFIRMED once. */
  unproven: boolean
  /** Why it failed. */
  code: string | null
}

interface LockedPost {
  id: string
  status: Status
  /** Whether a first comment was written for one of its networks. */
  commented: boolean
  siblings: Sibling[]
}

/**
 * The post and its targets, locked: the second statement reads after the first has its lock, and no claim moves a fence until
 * the end.
 */
async function lock(tx: Tx, postId: string): Promise<LockedPost | undefined> {
  const [[post], siblings] = await Promise.all([
    tx.run(
      query<{
        status: Status
        commented: boolean
      }>`select status, jsonb_path_exists(platform_options, '$.*.firstComment') as commented from post where workspace_id = ${tx.workspaceId} and id = ${postId} for update`,
    ),
    tx.run(query<Sibling>`select id, state, position, fence, dropped_at is not null as dropped, next_at, wait_reason, external_id, unproven, error ->> 'code' as code
      from publication where workspace_id = ${tx.workspaceId} and post_id = ${postId} order by position, id for update`),
  ])
  return post && { id: postId, ...post, siblings }
}

/** A publication as whoever settles it knows it: by its fence, and in the state that is to end. */
export interface Held {
  postId: string
  id: string
  fence: number
  state: Publication['state']
}

const isStill = (mine: Sibling | undefined, held: Held): mine is Sibling =>
  mine?.fence === held.fence && mine.state === held.state

/**
 * The only way in which a publication ends or begins to wait. By its fence and state: whoever lost it changes nothing, and is
 * told so. Gives the baton to the next target and, when none is open, the post its outcome.
 */
export async function settle(tx: Tx, held: Held, settlement: Settlement): Promise<'settled' | 'lost'> {
  const post = await lock(tx, held.postId)
  const mine = post?.siblings.find((each) => each.id === held.id)
  if (!post || !isStill(mine, held)) return 'lost'
  await tx.one(change(tx, post, mine, settlement), 'invalid_state')
  await tell(tx, post, mine, settlement)
  return 'settled'
}

/** The same as a transaction of its own, in two trips: the change leaves with the commit. Who is told of a failure costs more. */
export async function settleAlone(scope: Scope, held: Held, settlement: Settlement): Promise<'settled' | 'lost'> {
  return scope.transaction(async (tx) => {
    const post = await lock(tx, held.postId)
    const mine = post?.siblings.find((each) => each.id === held.id)
    if (!post || !isStill(mine, held)) return 'lost'
    tx.last(change(tx, post, mine, settlement), 'invalid_state')
    await tell(tx, post, mine, settlement)
    return 'settled'
  })
}

/** A publication that the network shows under an id, by whoever holds its fence. */
export interface Live {
  workspaceId: string
  id: string
  postId: string
  fence: number
  externalId: string
  permalink: string | null
  publishedAt: Date
}

/**
 * The commonest end, of several over all workspaces: the only target of its post is live, and so is the post. Says of each
 * whether that was all; where it is not, or somebody has post or target in hand, nothing is changed, and `settleAlone` has it.
 * Post and target are judged as they are once they are locked, and no lock of theirs is waited for. Other targets are looked for
 * before that, which is the same: while one of them is SUBMITTING a post is PUBLISHING, and then nobody edits it. One by one they
 * are found by their keys, however the planner thinks of all posts that are PUBLISHING.
 */
export async function settleLive(
  { platform, events }: { platform: Platform; events: Pick<Events, 'publish'> },
  lives: Live[],
): Promise<boolean[]> {
  const rows = lives.map(({ workspaceId, externalId, publishedAt, ...rest }) => ({
    ...rest,
    workspace_id: workspaceId,
    external_id: externalId,
    published_at: publishedAt,
    entry: uuidv7(),
  }))
  const settled = await platform.ask(
    'settle',
    query<{ id: string }>`
      with known as materialized (
        select l.*, found.post_id from json_to_recordset(${JSON.stringify(rows)}::json)
          as l(workspace_id uuid, id uuid, fence int, external_id text, permalink text, published_at timestamptz, entry uuid)
        cross join lateral (
          select t.post_id from publication t join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
          where t.workspace_id = l.workspace_id and t.id = l.id and t.fence = l.fence and t.state = 'SUBMITTING'
            and t.dropped_at is null and p.status = 'PUBLISHING' and not jsonb_path_exists(p.platform_options, '$.*.firstComment')
            and not exists (select from publication s where s.workspace_id = t.workspace_id and s.post_id = t.post_id and s.id <> t.id)
          for update of p, t skip locked
        ) found
      ), mine as (
        update publication t set fence = t.fence + 1, lease_until = null, turn = null, updated_at = app_now(),
          state = 'PUBLISHED', phase = null, next_at = null, wait_reason = null, error = null, external_id = k.external_id,
          permalink = k.permalink, unproven = false, published_at = greatest(k.published_at, t.intent_at)
        from known k where t.workspace_id = k.workspace_id and t.id = k.id
        returning k.workspace_id, k.id, k.post_id, k.external_id, k.entry, t.published_at
      ), whole as (
        update post p set status = 'PUBLISHED', updated_at = app_now(), published_at = coalesce(p.published_at, m.published_at)
        from mine m where p.workspace_id = m.workspace_id and p.id = m.post_id
      ), noted as (
        insert into audit_entry (workspace_id, id, actor_kind, action, object, detail)
        select workspace_id, entry, 'system', 'publication.published',
          json_build_object('postId', post_id, 'publicationId', id), json_build_object('externalId', external_id) from mine
      )
      select id from mine`,
  )
  const ids = new Set(settled.map((row) => row.id))
  return lives.map(({ workspaceId, id, postId }) => {
    if (ids.has(id)) events.publish(workspaceId, { kind: 'post', id: postId })
    return ids.has(id)
  })
}

/**
 * A proof from the network that a publication is live, whatever its state and whoever holds it. A second post under another id
 * is kept as well and said aloud.
 */
export async function sight(
  scope: Scope,
  postId: string,
  id: string,
  seen: { externalId: string | null; permalink: string | null; publishedAt: Date },
): Promise<void> {
  await scope.transaction(async (tx) => {
    const post = await lock(tx, postId)
    const mine = post?.siblings.find((each) => each.id === id)
    if (!post || !mine || (mine.externalId === seen.externalId && mine.state === 'PUBLISHED')) return
    if (mine.externalId !== null && seen.externalId === null) return
    if (mine.externalId === null) {
      tx.last(change(tx, post, mine, { state: 'PUBLISHED', ...seen }), 'invalid_state')
      await tell(tx, post, mine, { state: 'PUBLISHED', ...seen })
      return
    }
    scope.log.error({ publicationId: id, externalId: seen.externalId, other: mine.externalId }, 'a post is live twice')
    await tx.one(
      query`update publication set error = ${JSON.stringify({ ...ended('duplicate'), networkCode: seen.externalId })}, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and external_id = ${mine.externalId} returning id`,
      'not_found',
    )
    tx.audit('publication.duplicate', { postId, publicationId: id }, { externalId: seen.externalId })
    tx.emit({ kind: 'post', id: postId })
  })
}

/** What a post is once one of its targets is settled. */
function afterwards(post: LockedPost, mine: Sibling, settlement: Settlement) {
  const code = 'error' in settlement ? settlement.error.code : null
  const after = post.siblings.map((each) => (each.id === mine.id ? { ...each, state: settlement.state, code } : each))
  const live = after.some((each) => each.state === 'PUBLISHED' && !each.dropped)
  const edited = post.status === 'DRAFT' || post.status === 'SCHEDULED'
  // A draft or scheduled post changes only when it turns out to be live: then nothing of it may go out any more.
  const closing = edited && live
  const stillOpen = !closing && after.some(isOpen)
  const status = (edited && !live) || stillOpen ? post.status : outcome(after)
  return { after, closing, status }
}

/** One statement for all that a settlement changes, by the fence; without it nothing, and an error. */
function change(tx: Tx, post: LockedPost, mine: Sibling, settlement: Settlement) {
  const { after, closing, status } = afterwards(post, mine, settlement)
  const open = after.filter((each) => isOpen(each) && each.id !== mine.id)
  const baton = closing ? undefined : open.find((each) => each.state === 'PENDING' && !each.nextAt && !each.waitReason)

  return query<object>`
    with mine as (
      update publication set fence = fence + 1, lease_until = null, turn = null, updated_at = ${tx.now}, ${columns(settlement)}
      where workspace_id = ${tx.workspaceId} and id = ${mine.id} and fence = ${mine.fence} returning id, published_at
    ), next_one as (
      update publication set next_at = greatest(app_now(), due_at)
      where workspace_id = ${tx.workspaceId} and id = ${baton?.id ?? null} and state = 'PENDING' and next_at is null
        and exists (select from mine)
    ), closed as (
      update publication set state = 'FAILED', phase = null, next_at = null, turn = null, lease_until = null, wait_reason = null,
        fence = fence + 1, error = ${JSON.stringify(ended('superseded'))}, updated_at = ${tx.now}
      where ${closing} and workspace_id = ${tx.workspaceId} and id = any (${open.map((each) => each.id)}::uuid[])
        and exists (select from mine)
    ), whole as (
      update post set status = ${status}, updated_at = ${tx.now},
        published_at = case when ${status} = 'PUBLISHED' and published_at is null then greatest(
          (select published_at from mine),
          (select max(published_at) from publication where workspace_id = ${tx.workspaceId} and post_id = ${post.id}
            and dropped_at is null)) else published_at end
      where ${status !== post.status} and workspace_id = ${tx.workspaceId} and id = ${post.id} and status = ${post.status}
        and exists (select from mine)
    )
    select must_find(count(*)) from mine`
}

async function tell(tx: Tx, post: LockedPost, mine: Sibling, settlement: Settlement): Promise<void> {
  if (settlement.state !== 'PENDING' && settlement.state !== 'SUBMITTING') {
    const detail = 'error' in settlement ? { code: settlement.error.code } : { externalId: settlement.externalId }
    const stopped = 'error' in settlement && settlement.error.code === 'stopped'
    const action = stopped ? 'stopped' : settlement.state.toLowerCase()
    tx.audit(`publication.${action}`, { postId: post.id, publicationId: mine.id }, stopped ? {} : detail)
  }
  // A person had said that it was not there.
  if (settlement.state === 'PUBLISHED' && mine.unproven && mine.state === 'PREPARING') await tellOfFound(tx, post.id)
  if (settlement.state === 'PUBLISHED' && post.commented) await oweFirstComment(tx, mine.id, settlement.externalId)
  if (settlement.state === 'PUBLISHED' && settlement.externalId === null) {
    // A person said that the post is live: there is no look for its id.
    if (mine.state === 'UNCONFIRMED') await giveUpFirstComment(tx, mine.id)
    else await lookLater(tx, mine.id, 0)
  }
  tx.emit({ kind: 'post', id: post.id })
  const { status, after } = afterwards(post, mine, settlement)
  if (post.status === 'PUBLISHING') await tellOfOutcome(tx, post.id, status, after)
}

/**
 * Tells the author of a post and the admins, once, that an attempt has ended otherwise than wished; not the person whose stop
 * ends it, unless a target failed for another reason.
 */
export async function tellOfOutcome(
  tx: Tx,
  postId: string,
  status: Status,
  targets: readonly { state: Publication['state']; dropped: boolean; code: string | null }[],
): Promise<void> {
  if (status !== 'FAILED' && status !== 'PARTIALLY_PUBLISHED') return
  const missing = targets.filter(({ state, dropped }) => state !== 'PUBLISHED' && !dropped)
  const unknown = missing.some(({ state }) => state === 'UNCONFIRMED')
  const stopped = missing.length > 0 && missing.every(({ code }) => code === 'stopped')
  const except = stopped && tx.actor.kind === 'user' ? tx.actor.userId : null
  await tellTeam(
    tx,
    postId,
    unknown ? 'outcome_unknown' : 'post_failed',
    { status, ...(stopped && { stoppedBy: await stoppedBy(tx, postId) }) },
    except,
  )
}

/** Names of the people who stopped targets of a post. */
async function stoppedBy(tx: Tx, postId: string): Promise<string[]> {
  const people = await tx.run(query<{ name: string }>`select distinct u.name from publication t
    join app_user u on u.id = (t.error ->> 'by')::uuid
    where t.workspace_id = ${tx.workspaceId} and t.post_id = ${postId} and t.dropped_at is null order by 1`)
  return people.map(({ name }) => name)
}

/** Tells that a post which was to be sent again is live already. */
const tellOfFound = (tx: Tx, postId: string) => tellTeam(tx, postId, 'outcome_unknown', { found: true })

type TeamNotice = 'outcome_unknown' | 'post_failed' | 'post_delayed'

/** Tells the author of a post and the admins; of a delay also the editors, who may retry or stop. */
export async function tellTeam(
  tx: Tx,
  postId: string,
  kind: TeamNotice,
  data: object,
  except: string | null = null,
): Promise<void> {
  const [post] = await tx.run(query<{ createdBy: string | null; excerpt: string }>`
    select created_by, left(caption, ${EXCERPT}) || case when length(caption) > ${EXCERPT} then '…' else '' end as excerpt
    from post where workspace_id = ${tx.workspaceId} and id = ${postId}`)
  if (!post) return
  const roles = kind === 'post_delayed' ? ['OWNER', 'ADMIN', 'EDITOR'] : ['OWNER', 'ADMIN']
  const who = { roles, members: post.createdBy === null ? [] : [post.createdBy], except }
  await notify(tx, who, kind, { postId, excerpt: post.excerpt, ...data })
}

/**
 * Enqueues the next look for the id of a live post: the first after a minute, each after twice the time, for a day. After the
 * last one a first comment that waits for the id fails.
 */
export async function lookLater(tx: Tx, publicationId: string, looked: number): Promise<void> {
  const after = 60_000 * 2 ** looked
  if (after > 12 * 3_600_000) return giveUpFirstComment(tx, publicationId)
  const at = { key: `sighting:${publicationId}`, runAt: new Date(tx.now.getTime() + after) }
  tx.enqueue('post-sighting', { publicationId, looked }, at)
}

function columns(settlement: Settlement) {
  const phase = settlement.state === 'SUBMITTING' ? (settlement.phase ?? 'commit') : null
  const state = sql`state = ${settlement.state}, phase = ${phase}`
  switch (settlement.state) {
    case 'PUBLISHED':
      return sql`${state}, next_at = null, wait_reason = null, error = null, external_id = ${settlement.externalId},
        permalink = ${settlement.permalink}, unproven = false, published_at = greatest(${settlement.publishedAt}::timestamptz, intent_at)`
    case 'FAILED':
      return sql`${state}, next_at = null, wait_reason = null,
        error = ${JSON.stringify({ ...settlement.error, ...(settlement.by && { by: settlement.by }) })}, ${handles(settlement)}`
    case 'UNCONFIRMED':
      return sql`${state}, next_at = null, wait_reason = null, error = ${JSON.stringify(settlement.error)}, unproven = true`
    case 'PENDING':
      return sql`${state}, ${wait(settlement)},
        failures = coalesce(${settlement.failures ?? null}::int, failures), backoffs = coalesce(${settlement.backoffs ?? null}::int, backoffs),
        ${handles(settlement)}`
    case 'SUBMITTING':
      return sql`${state}, next_at = ${settlement.nextAt},
        absent_reads = coalesce(${settlement.absent?.reads ?? null}::int, absent_reads),
        absent_at = coalesce(${settlement.absent?.at ?? null}::timestamptz, absent_at),
        backoffs = coalesce(${settlement.backoffs ?? null}::int, backoffs),
        limited_until = coalesce(${settlement.limitedUntil ?? null}::timestamptz, limited_until),
        late_reads = coalesce(${settlement.late?.reads ?? null}::int, late_reads),
        late_read_at = coalesce(${settlement.late?.at ?? null}::timestamptz, late_read_at),
        accepted_at = coalesce(${settlement.acceptedAt ?? null}::timestamptz, accepted_at),
        unread_since = ${settlement.unreadSince ?? null},
        handles = coalesce(${settlement.handles ? JSON.stringify(settlement.handles) : null}::jsonb, handles)`
  }
}

/** A target that is to wait for its account does not when that came back while the target was in somebody's hands. */
function wait({ nextAt, waitReason }: { nextAt: Date; waitReason: Publication['waitReason'] }) {
  if (waitReason !== 'reconnect_needed' && waitReason !== 'account_paused') {
    return sql`next_at = ${nextAt}, wait_reason = ${waitReason}`
  }
  return sql`(next_at, wait_reason) = (
    select case when back then app_now() else ${nextAt}::timestamptz end, case when back then null else ${waitReason} end
    from (select a.status = 'CONNECTED' and a.paused_at is null as back from social_account a
      where a.workspace_id = publication.workspace_id and a.id = publication.account_id for share of a) account)`
}

const handles = ({ restart = false }: { restart?: boolean }) =>
  sql`handles = case when ${restart} then '{}' else handles end, accepted_at = null, unread_since = null`

/** Whether saving failed because another publication has this network id already. */
export const isClaimedElsewhere = (error: unknown) => codeOf(error) === '23505'
