import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { enqueueTargets } from '../../delivery/deliveries.ts'
import { settle } from '../../delivery/settle.ts'
import { retryNow } from '../../delivery/waits.ts'
import { errorFor, type FencedRow } from '../../delivery/rules.ts'
import type { Post, Publication } from '../posts/api.ts'
import { approveByAct, refuseUnapproved } from '../posts/posts-approval.ts'
import { refuseFindings } from '../posts/posts-content.ts'
import { lockPost, statusAfter, setStatus } from '../posts/posts-state.ts'
import { readPost } from '../posts/posts-read.ts'
import { publicationShape, visibleTo } from '../posts/posts-shape.ts'
import { noTarget } from '../posts/checks/rules.ts'
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
 * `validation_failed` if the post has no account now.
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
    const by = userIdOf(tx.actor)
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
