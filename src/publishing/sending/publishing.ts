import { accountsWhere } from '../../channels/accounts.ts'
import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { enqueueFlightCheck } from '../flight-check/flight-check.ts'
import type { Jobs } from '../../core/platform/job-names.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { networks } from '../../networks/rules.ts'
import { notify } from '../../team/notifications/notifications.ts'
import { enqueueTargets } from '../../delivery/deliveries.ts'
import { settle } from '../../delivery/settle.ts'
import { retryNow } from '../../delivery/waits.ts'
import { errorFor, type FencedRow } from '../../delivery/rules.ts'
import type { Check, Post, Publication } from '../posts/api.ts'
import { approveByAct, excerpt, refuseUnapproved } from '../posts/posts-approval.ts'
import { contentOf, type TargetAccount } from '../posts/compose/rules.ts'
import { checksOf, outlookWhere, refuseFindings, taggingWhere, twinsWhere } from '../posts/posts-content.ts'
import { lockPost, statusAfter, setStatus } from '../posts/posts-state.ts'
import { readPost } from '../posts/posts-read.ts'
import { saveFindings } from '../posts/posts-save.ts'
import { postShape, publicationShape, unapproved, visibleTo } from '../posts/posts-shape.ts'
import { nextLook, noTarget, type RiskTold, risksToTell } from '../posts/checks/rules.ts'
import type { Ports } from '../../services.ts'
import { POST_ACTIONS, type PostEvent, type Resolution } from './api.ts'
import { postDriver } from './post.ts'

type PublishingPorts = Pick<Ports, 'networks' | 'settings'>

/** Returns the targets of a post with their progress, by position. */
export async function listPublications(scope: Scope, postId: string, role: Role | null) {
  const [[post], rows] = await scope.read(
    query`select from post p where p.workspace_id = ${scope.workspaceId} and p.id = ${postId} and p.deleted_at is null
      and ${visibleTo(role)}`,
    query<{ json: Publication }>`select ${publicationShape(role)} as json from publication t
      join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
      where t.workspace_id = ${scope.workspaceId} and t.post_id = ${postId} order by t.position, t.id`,
  )
  if (!post) throw new AppError('not_found')
  return { data: rows.map((row) => row.json), nextCursor: null }
}

/** The maximum number of events in a post's timeline. */
const EVENTS = 100

/** Entries before this action tell times that no longer fit the post. */
const BACKDATED = 'post.backdated'

/** The actions as constants of the statement, so that every plan can use their index. */
const ofPosts = sql.join([...POST_ACTIONS, BACKDATED].map((action) => sql.lit(action)))

/**
 * SQL for an id above all entries of the history of the post `p`: each of them came with a change of the post, of a
 * target or of a request. Ids begin with the time of the process that made them, so a day is added for clocks that
 * differ.
 */
const lastEntryId = sql`rpad(lpad(to_hex((extract(epoch from interval '1 day' + greatest(p.updated_at,
  (select max(t.updated_at) from publication t where t.workspace_id = p.workspace_id and t.post_id = p.id),
  (select max(greatest(r.created_at, r.decided_at)) from approval_request r
    where r.workspace_id = p.workspace_id and r.post_id = p.id))) * 1000)::bigint), 12, '0'), 32, 'f')::uuid`

/**
 * Returns what happened to a post on its way out, from the audit history. No entry of a post has an id below the post's
 * own, as ids begin with the time.
 */
export async function listPostEvents(scope: Scope, postId: string, role: Role | null) {
  const mine = sql`p.workspace_id = ${scope.workspaceId} and p.id = ${postId}`
  const [[post], newest] = await scope.read(
    query`select from post p where ${mine} and p.deleted_at is null and ${visibleTo(role)}`,
    query<
      Omit<PostEvent, 'action'> & { action: PostEvent['action'] | typeof BACKDATED }
    >`select e.id, iso(e.at) as at, e.action,
        coalesce(e.detail -> 'publicationIds', '[]') || coalesce(e.object -> 'publicationId', '[]') as publication_ids,
        coalesce(e.detail ->> 'link', u.name) as by,
        case e.action when 'post.scheduled' then e.detail ->> 'at' end as scheduled_at
      from audit_entry e left join app_user u on u.id = e.actor_id
      where e.workspace_id = ${scope.workspaceId} and e.id >= ${postId}
        and e.id <= (select ${lastEntryId} from post p where ${mine})
        and e.object ->> 'postId' = ${postId} and e.action in (${ofPosts})
        and (e.action <> 'publication.failed' or e.detail ->> 'code' is distinct from 'stopped')
      order by e.id desc limit ${EVENTS}`,
  )
  if (!post) throw new AppError('not_found')
  const backdated = newest.findIndex(({ action }) => action === BACKDATED)
  const data = (backdated < 0 ? newest : newest.slice(0, backdated)).toReversed() as PostEvent[]
  return { data, nextCursor: null }
}

/**
 * Sends FAILED targets again: those in `only`, else all. Never sends a target that is live or may be live. Throws
 * `validation_failed` for a post without targets, which nothing was sent for.
 */
export async function retryPost(
  scope: Scope,
  ports: PublishingPorts,
  id: string,
  only: readonly string[] | undefined,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    const status = statusAfter(post, 'retry')
    const counted = post.publications.filter((each) => !each.dropped)
    const named = only ? counted.filter((each) => only.includes(each.id)) : counted
    const unknown = (only ?? []).filter((each) => !counted.some((publication) => publication.id === each))
    if (unknown.length > 0) {
      throw invalid({
        path: '/publicationIds',
        code: 'unknown_id',
        message: 'The post has no publication with this ID.',
      })
    }
    if (only && named.some((each) => each.state === 'PUBLISHED')) throw new AppError('already_published')
    if (only && named.some((each) => each.state === 'UNCONFIRMED')) throw new AppError('outcome_unknown')
    if (counted.length === 0) refuseFindings([noTarget], 'publish')
    const again = named.filter((each) => each.state === 'FAILED')
    if (again.length === 0) throw new AppError('outcome_unknown')
    await refuseUnapproved(tx, role, post.approved)
    await setStatus(tx, post, status, { approved: await approveByAct(tx, role, post) })
    await enqueueTargets(
      tx,
      id,
      'now',
      again.map((each) => each.id),
    )
    tx.record({ type: 'post.retried', subject: { postId: id }, data: { publicationIds: again.map((each) => each.id) } })
    return readPost(tx, ports, id)
  })
}

/** Resolves an UNCONFIRMED target by the statement of a person who looked at the network. */
export async function resolvePublication(
  scope: Scope,
  ports: PublishingPorts,
  id: string,
  publicationId: string,
  resolution: Resolution,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id)
    const publication = targetOf(post, publicationId)
    if (publication.state !== 'UNCONFIRMED') {
      throw notUnconfirmed(publication.state)
    }
    const fence = await fenceOf(tx, publicationId)
    const result = await settle(
      tx,
      postDriver,
      { subjectId: id, id: publicationId, fence, state: 'UNCONFIRMED' },
      resolution.outcome === 'live'
        ? { state: 'PUBLISHED', externalId: null, permalink: resolution.permalink ?? null, publishedAt: tx.now }
        : { state: 'FAILED', error: errorFor('not_live') },
    )
    if (result === 'lost') throw notUnconfirmed(targetOf(await readPost(tx, ports, id), publicationId).state)
    tx.record({
      type: 'publication.resolved',
      subject: { postId: id, publicationId },
      data: { outcome: resolution.outcome },
    })
    return readPost(tx, ports, id)
  })
}

const notUnconfirmed = (current: Publication['state']) =>
  new AppError('invalid_state', 'Only unconfirmed publications can be resolved.', { current, allowed: [] })

/**
 * Makes the next try of a target due now. A target that waits after a failure is sent; a target whose answer was lost
 * is read, by the same rules as at its planned time. Throws `invalid_state` for any other target, and for one that a
 * worker holds.
 */
export async function retryPublicationNow(
  scope: Scope,
  ports: PublishingPorts,
  id: string,
  publicationId: string,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const { state } = targetOf(await lockPost(tx, ports, id), publicationId)
    await retryNow(tx, publicationId, state)
    tx.record({ type: 'publication.retried_now', subject: { postId: id, publicationId } })
    return readPost(tx, ports, id)
  })
}

/**
 * Ends a PENDING target of a PUBLISHING post. The target has no open intent, so it has certainly not been sent. Throws
 * `invalid_state` for any other target, also if a worker claims the target first.
 */
export async function stopPublication(
  scope: Scope,
  ports: PublishingPorts,
  id: string,
  publicationId: string,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id)
    const { state, dropped } = targetOf(post, publicationId)
    if (post.status !== 'PUBLISHING' || state !== 'PENDING' || dropped) throw notWaiting(post, state)
    const row: FencedRow = {
      subjectId: id,
      id: publicationId,
      fence: await fenceOf(tx, publicationId),
      state: 'PENDING',
    }
    const by = tx.actor.kind === 'user' ? tx.actor.userId : null
    if ((await settle(tx, postDriver, row, { state: 'FAILED', error: errorFor('stopped'), by })) === 'lost') {
      throw notWaiting(post, targetOf(await readPost(tx, ports, id), publicationId).state)
    }
    return readPost(tx, ports, id)
  })
}

const notWaiting = (post: Post, state: Publication['state']) =>
  new AppError('invalid_state', 'Only a waiting publication of a post that is being published can be stopped.', {
    current: post.status === 'PUBLISHING' ? state : post.status,
    allowed: [],
  })

function targetOf(post: Post, publicationId: string): Publication {
  const publication = post.publications.find((each) => each.id === publicationId)
  if (!publication) throw new AppError('not_found')
  return publication
}

async function fenceOf(tx: Tx, publicationId: string): Promise<number> {
  const { fence } = await tx.one(
    query<{
      fence: number
    }>`select fence from publication where workspace_id = ${tx.workspaceId} and id = ${publicationId}`,
    'not_found',
  )
  return fence
}

/** The number of posts that a check saves at once, and reads at once. */
const SAVED = 1000
const READ = 200

/**
 * Checks posts again: one scheduled post, the posts of a file or an account, or all scheduled posts. Saves changed
 * findings, and sends one notice for up to `SAVED` posts about the risks that people must know now. A check of one post
 * schedules the next.
 */
export async function recheckPosts(scope: Scope, ports: PublishingPorts, by: Jobs['flight-check']): Promise<void> {
  if ('postId' in by) return recheckPage(scope, ports, by, [by.postId])
  let ids: string[] = []
  do {
    ids = await idsAfter(scope, by, ids.at(-1) ?? null)
    if (ids.length > 0) await recheckPage(scope, ports, by, ids)
  } while (ids.length === SAVED)
}

/** Returns the ids of the next posts that a job checks. */
async function idsAfter(scope: Scope, by: Jobs['flight-check'], after: string | null): Promise<string[]> {
  const [posts] = await scope.read(query<{ id: string }>`select p.id from post p where ${concerned(scope, by)}
    and (${after}::uuid is null or p.id > ${after}::uuid) order by p.id limit ${SAVED}`)
  return posts.map(({ id }) => id)
}

async function recheckPage(
  scope: Scope,
  ports: PublishingPorts,
  by: Jobs['flight-check'],
  ids: readonly string[],
): Promise<void> {
  await scope.transaction(async (tx) => {
    // Checks of a workspace run one after another, so an older one never replaces the findings of a newer one.
    tx.lock(query`select pg_advisory_xact_lock(hashtextextended(${`flight ${tx.workspaceId}`}, 0))`)
    const judged: Judged[] = []
    let known: readonly TargetAccount[] = []
    for (let at = 0; at < ids.length; at += READ) {
      const read = await judge(
        tx,
        ports,
        sql`${concerned(tx, by)} and p.id = any (${ids.slice(at, at + READ)}::uuid[])`,
      )
      judged.push(...read.judged)
      known = read.accounts
    }
    const risks = new Map(judged.map((one) => [one.post.id, risksOf(one, tx.now, 'postId' in by)]))
    const saved = await saveFindings(
      tx,
      judged.map(({ post: { id, version }, checks }) => ({ id, version, checks, told: risks.get(id)?.told ?? null })),
    )
    for (const { id, changed } of saved) if (changed) tx.emit({ kind: 'post', id })
    const isSaved = new Set(saved.map(({ id }) => id))
    const atRisk = judged
      .map(({ post }) => ({ post, checks: risks.get(post.id)?.risks ?? [] }))
      .filter(({ post, checks }) => isSaved.has(post.id) && checks.length > 0)
    await tellOfRisk(tx, atRisk, known)
    const only = judged[0]?.post
    if (!('postId' in by) || only?.status !== 'SCHEDULED' || only.scheduledAt === null) return
    // After an edit, the post has a newer check, which this one would replace.
    const [same] = await tx.run(query`select from post where workspace_id = ${tx.workspaceId} and id = ${only.id}
      and version = ${only.version} and status = 'SCHEDULED' for share`)
    if (!same) return
    const again = nextLook(new Date(only.scheduledAt), tx.now)
    if (again) enqueueFlightCheck(tx, by, { runAt: again })
  })
}

/** Returns the risks of a post to tell people about, and what they know afterwards. */
function risksOf({ post, checks, told }: Judged, now: Date, alone: boolean): ReturnType<typeof risksToTell> {
  const { status, scheduledAt } = post
  if (status !== 'SCHEDULED' || scheduledAt === null) return { risks: [], told }
  return risksToTell(checks, { scheduledAt, told, now, alone })
}

/** A post with its current findings, and what people were told of its risks. */
interface Judged {
  post: Post
  checks: Check[]
  told: RiskTold | null
}

/** Reads the posts `p` that match a condition, and what their findings depend on. */
async function judge(tx: Tx, ports: PublishingPorts, which: ReturnType<typeof sql>) {
  const [posts, rows, outlook, twins, links] = await Promise.all([
    tx.run(
      whole<{ json: Post; unapproved: boolean; told: RiskTold | null }>(sql`select ${unapproved} as unapproved,
        p.risk_told as told,
        ${postShape(ports.settings.filesUrl())} where ${which} order by p.id`),
    ),
    tx.run(accountsWhere(ports, sql`a.workspace_id = ${tx.workspaceId}`)),
    tx.run(outlookWhere(which)),
    tx.run(twinsWhere(which)),
    tx.run(taggingWhere(which)),
  ])
  const accounts = rows.map((row) => row.json)
  const judged = posts.map(({ json: post, unapproved: lacking, told }): Judged => {
    const checks = checksOf(contentOf(post), accounts, ports, {
      tagging: links.find(({ of }) => of === post.id)?.tagging ?? null,
      unapproved: lacking,
      outlook: outlook.filter(({ postId }) => postId === post.id),
      twins: twins.filter((twin) => twin.of === post.id),
    })
    return { post, checks, told }
  })
  return { judged, accounts }
}

/** SQL condition: the job checks the post `p`. */
const concerned = (
  { workspaceId }: Pick<Scope, 'workspaceId'>,
  by: Jobs['flight-check'],
) => sql`p.workspace_id = ${workspaceId}
  and p.deleted_at is null and p.status in ('DRAFT', 'SCHEDULED', 'FAILED') and ${those(by)}`

function those(by: Jobs['flight-check']) {
  if ('postId' in by) return sql`p.id = ${by.postId} and p.status = 'SCHEDULED'`
  if ('scheduled' in by) return sql`p.status = 'SCHEDULED'`
  if ('accountId' in by) {
    return sql`exists (select from publication t where t.workspace_id = p.workspace_id and t.post_id = p.id
      and t.account_id = ${by.accountId} and t.dropped_at is null)`
  }
  return sql`exists (select from post_media m where m.workspace_id = p.workspace_id and m.post_id = p.id
    and m.media_file_id = ${by.mediaFileId})`
}

/** Sends one notice to the admins and each author, however many of their posts are at risk. */
async function tellOfRisk(
  tx: Tx,
  found: readonly Pick<Judged, 'post' | 'checks'>[],
  accounts: readonly TargetAccount[],
): Promise<void> {
  const [first] = found
  if (!first) return
  const [reason] = first.checks
  const authors = found.flatMap(({ post }) => post.createdBy?.id ?? [])
  await notify(tx, { roles: ['OWNER', 'ADMIN'], members: [...new Set(authors)] }, 'post_at_risk', {
    count: found.length,
    ...(found.length === 1 && { postId: first.post.id, excerpt: excerpt(first.post) }),
    codes: [...new Set(found.flatMap(({ checks }) => checks.map(({ code }) => code)))],
    message: reason?.message,
    // The parts of the message, for readers of other languages.
    reason: reason && {
      code: reason.code,
      limit: reason.limit,
      value: reason.value,
      account: accounts.find(({ id }) => id === reason.target)?.name ?? null,
      network: reason.platform && networks[reason.platform].called[0],
    },
  })
}
