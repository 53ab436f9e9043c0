import { AppError, invalid } from '../../core/errors.ts'
import { hashSecret } from '../../core/platform/crypto.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { countTry } from '../../core/platform/limits.ts'
import type { Scopes, Scope, Tx } from '../../core/platform/scope.ts'
import { isInPlan, refuseWithout } from '../../team/plans/plans.ts'
import type { Post } from '../posts/api.ts'
import { lockPost } from '../posts/posts-state.ts'
import { postShape } from '../posts/posts-shape.ts'
import type { Ports } from '../../services.ts'
import type { Review, ReviewedPost } from './api.ts'
import { type ApprovalPorts, decide } from './approvals.ts'
import { commentShape, save } from './approvals-comments.ts'
import { NAMELESS, postsOfLink } from './approvals-links.ts'
import { mayDecide, type ApprovalVerdict } from './rules.ts'

// What a person without an account can do with a review link.

/** The maximum number of comments by one link in an hour. */
const PER_HOUR = 30
const DECISIONS_PER_HOUR = 120

interface Opened {
  workspaceId: string
  id: string
}

/** Returns an open link and a scope of its workspace. Throws `link_expired`, also for a token that was never issued. */
async function open({ scope }: Pick<Scopes, 'scope'>, caller: Scope, token: string) {
  const [[found]] = await caller.read(
    query<Opened>`select workspace_id, id from review_link_facts(${hashSecret(token)})`,
  )
  if (!found) throw new AppError('link_expired')
  return { ...found, scope: scope(found.workspaceId, caller.actor) }
}

/**
 * Keeps the workspace from being deleted during this transaction, like a transaction in a person's name
 * (`require_standing`). It comes first, so that a transaction that waits for a deletion holds nothing.
 */
const lockWorkspace = (tx: Tx) =>
  tx.lock(query`select pg_advisory_xact_lock_shared(standing_key(${tx.workspaceId}::uuid))`)

/**
 * Keeps the link from ending during this transaction: its creator is removed either before or after it. Throws
 * `link_expired`, and `feature_not_in_plan` if the plan of the workspace no longer includes approvals.
 */
async function lockLink(tx: Tx, id: string): Promise<void> {
  await tx.one(
    query`select from review_link l where l.workspace_id = ${tx.workspaceId} and l.id = ${id} and l.revoked_at is null
      and l.expires_at > ${tx.now}
      and exists (select from workspace w where w.id = l.workspace_id and w.deleted_at is null) for share of l`,
    'link_expired',
  )
  await refuseWithout(tx, 'approvals')
}

/**
 * Whether a link `l` may decide: its creator may, or the workspace `w` does not require approval. Any other link only
 * shows posts and takes comments, since its creator could use it to approve their own posts.
 */
const trusted = sql`(w.approval_mode in ('none', 'optional') or exists (select from member m
  where m.workspace_id = l.workspace_id and m.user_id = l.created_by and m.role in ('OWNER', 'ADMIN')))`

interface Standing {
  name: string
  trusted: boolean
  /** The posts of the link that are not deleted, in order. */
  postIds: string[]
}

const standingOf = ({ workspaceId, id }: Opened) => query<Standing>`select l.name, ${trusted} as trusted,
    array(select o.id from ${postsOfLink} o join post p on p.workspace_id = l.workspace_id and p.id = o.id
      where p.deleted_at is null order by o.position) as post_ids
  from review_link l join workspace w on w.id = l.workspace_id where l.workspace_id = ${workspaceId} and l.id = ${id}`

type Shown = Pick<Review, 'workspace' | 'link' | 'readOnly' | 'deletedPosts'> & {
  trusted: boolean
  posts: Omit<ReviewedPost, 'mayDecide'>[]
}

const shownBy = (filesUrl: string, { workspaceId, id }: Opened) =>
  whole<{ json: Shown }>(sql`select json_build_object(
      'workspace', json_build_object('name', w.name, 'timezone', w.timezone, 'language', w.language, 'linkTags', w.link_tags),
      'link', json_build_object('name', nullif(l.name, ''), 'expiresAt', iso(l.expires_at)), 'trusted', ${trusted},
      'readOnly', not ${isInPlan(sql`w.id`, 'approvals')},
      'posts', coalesce(held.posts, '[]'), 'deletedPosts', held.deleted) as json
    from review_link l join workspace w on w.id = l.workspace_id
    cross join lateral (
      select json_agg(json_build_object('post', shaped.json,
          'comments', (select coalesce(json_agg(said.json), '[]') from (select ${commentShape('CLIENT')} as json
            from post_comment c left join app_user u on u.id = c.author_id
            where c.workspace_id = l.workspace_id and c.post_id = o.id and c.deleted_at is null
            order by c.id desc limit 100) said),
          'changesAsked', (select json_build_object('reason', r.reason, 'at', iso(r.decided_at), 'changedAt', (select iso(max(v.saved_at))
              from post_version v where v.workspace_id = r.workspace_id and v.post_id = r.post_id and v.saved_at > r.decided_at))
            from approval_request r where r.workspace_id = l.workspace_id and r.post_id = o.id and r.state = 'REJECTED'
              and r.decided_by is null and r.decided_by_name = l.name order by r.decided_at desc limit 1))
          order by o.position) filter (where shaped.json is not null) as posts,
        count(*) filter (where shaped.json is null)::int as deleted
      from ${postsOfLink} o left join lateral (select ${postShape(filesUrl, 'CLIENT')}
        where p.workspace_id = l.workspace_id and p.id = o.id and p.deleted_at is null) shaped on true) held
    where l.workspace_id = ${workspaceId} and l.id = ${id} and l.revoked_at is null and l.expires_at > app_now()`)

async function show(scope: Scope, { settings }: Pick<Ports, 'settings'>, opened: Opened): Promise<Review> {
  const [[shown]] = await scope.read(shownBy(settings.filesUrl(), opened))
  if (!shown) throw new AppError('link_expired')
  const { trusted: decides, ...rest } = shown.json
  const posts = rest.posts.map(({ post, ...each }) => ({
    ...each,
    // Labels are internal to the team.
    post: { ...post, labels: [] },
    mayDecide: decides && !rest.readOnly && mayDecide(post, 'client'),
  }))
  const [first] = posts
  if (!first) throw new AppError('link_expired')
  return { ...rest, ...first, posts }
}

type Visitor = { scopes: Pick<Scopes, 'scope'>; caller: Scope }

/** Returns the posts of a link. Throws `link_expired`. */
export async function getReview({ scopes, caller }: Visitor, ports: ApprovalPorts, token: string): Promise<Review> {
  const { scope, ...opened } = await open(scopes, caller, token)
  await scope.write(query`update review_link set opened_at = app_now() where workspace_id = ${scope.workspaceId}
    and id = ${opened.id} and opened_at is null returning id`)
  return show(scope, ports, opened)
}

/** The posts that a request names. If it names none, it means the only post of the link. */
interface Named<Item> {
  one: Item
  several: Item[] | undefined
}

/**
 * Throws `validation_failed` if it is unclear which post is meant, and `not_found` for a post that the link does not
 * show.
 */
function named<Item extends { postId?: string | undefined }>(postIds: string[], { one, several }: Named<Item>) {
  if (postIds.length === 0) throw new AppError('link_expired')
  const items = several ?? [one]
  if (items.some(({ postId }) => postId === undefined) && postIds.length > 1) {
    throw invalid({ path: '/postId', code: 'required', message: 'This link shows several posts. Name one of them.' })
  }
  const found = new Map(items.map((item) => [item.postId ?? postIds[0]!, item]))
  if ([...found.keys()].some((id) => !postIds.includes(id))) throw new AppError('not_found')
  return found
}

/**
 * Stores the name of the first reviewer to act on a link that has no name, even if the act itself is then refused.
 * Throws `validation_failed` if the request has no name either.
 */
async function giveName(scope: Scope, id: string, name: string | undefined): Promise<void> {
  const [[nameless]] = await scope.read(query`select from review_link where workspace_id = ${scope.workspaceId}
    and id = ${id} and name = ${NAMELESS}`)
  if (!nameless) return
  if (name === undefined) throw invalid({ path: '/name', code: 'required', message: 'Enter your name.' })
  await scope.write(query`update review_link set name = ${name} where workspace_id = ${scope.workspaceId} and id = ${id}
    and name = ${NAMELESS} returning id`)
}

interface Looked {
  postId?: string | undefined
  postVersion?: number | undefined
}

/**
 * Decides posts by a link, in the versions that the reviewer saw: either all posts that the request names, or none.
 * Throws `link_expired`, `feature_not_in_plan`, `validation_failed`, `not_found`, `stale_version`, `invalid_state`,
 * `rate_limited`.
 */
export async function decideReview(
  { scopes, caller }: Visitor,
  ports: ApprovalPorts,
  token: string,
  verdict: ApprovalVerdict,
  { posts: several, name, ...one }: Looked & { posts?: Looked[] | undefined; name?: string | undefined },
): Promise<Review> {
  const { scope, ...opened } = await open(scopes, caller, token)
  if (!several && one.postVersion === undefined) {
    throw invalid({
      path: '/postVersion',
      code: 'required',
      message: 'Name the version of the post that was reviewed.',
    })
  }
  await countTry(caller, { key: `review decisions ${opened.id}`, tries: DECISIONS_PER_HOUR, seconds: 3600 })
  await giveName(scope, opened.id, name)
  await scope.transaction(async (tx) => {
    lockWorkspace(tx)
    const before = await tx.one(standingOf(opened), 'link_expired')
    const posts: Post[] = []
    // All posts are locked first, ordered by id, so that two reviewers who decide the same posts cannot deadlock.
    const items = [...named(before.postIds, { one, several })].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [id, { postVersion }] of items) posts.push(await lockPost(tx, ports, id, postVersion))
    await lockLink(tx, opened.id)
    const link = await tx.one(standingOf(opened), 'link_expired')
    if (!link.trusted) {
      throw new AppError(
        'invalid_state',
        'You can view and comment with this link, but not approve or request changes.',
        {
          current: posts[0]!.status,
          allowed: [],
        },
      )
    }
    for (const post of posts) await decide(tx, ports, post, verdict, { link: link.name })
  })
  return show(scope, ports, opened)
}

interface Said {
  text: string
  name?: string | undefined
  postId?: string | undefined
  postIds?: string[] | undefined
}

/**
 * Adds a comment to each post that the request names. Throws `link_expired`, `feature_not_in_plan`,
 * `validation_failed`, `not_found`, `rate_limited`.
 */
export async function commentReview(
  { scopes, caller }: Visitor,
  ports: ApprovalPorts,
  token: string,
  { text, name, postId, postIds }: Said,
): Promise<Review> {
  const { scope, ...opened } = await open(scopes, caller, token)
  await countTry(caller, { key: `review ${opened.id}`, tries: PER_HOUR, seconds: 3600 })
  await giveName(scope, opened.id, name)
  await scope.transaction(async (tx) => {
    lockWorkspace(tx)
    await lockLink(tx, opened.id)
    const link = await tx.one(standingOf(opened), 'link_expired')
    const several = postIds?.map((id) => ({ postId: id }))
    const author = { id: null, name: link.name }
    for (const id of named(link.postIds, { one: { postId }, several }).keys()) {
      await save(tx, id, 'CLIENT', { text, author, mentions: [] })
    }
  })
  return show(scope, ports, opened)
}
