import { uuidv7 } from 'uuidv7'
import { AppError } from '../../core/errors.ts'
import { hashSecret, newSecret } from '../../core/platform/crypto.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { countTry } from '../../core/platform/limits.ts'
import type { Scopes, Scope, Tx } from '../../core/platform/scope.ts'
import type { Post } from '../posts/api.ts'
import { lockPost } from '../posts/posts-state.ts'
import { postShape } from '../posts/posts-shape.ts'
import type { Ports } from '../../services.ts'
import type { Review, ReviewLink } from './api.ts'
import { type ApprovalPorts, decide } from './approvals.ts'
import { commentsWhere, save } from './approvals-comments.ts'
import { mayDecide, type ApprovalVerdict } from './rules.ts'

const DAY = 86_400_000
const LINKS = 20
/** What one link may say in an hour. */
const PER_HOUR = 30

const linksWhere = (condition: ReturnType<typeof sql>) =>
  whole<{ json: ReviewLink }>(sql`select json_build_object('id', l.id, 'postId', l.post_id, 'name', l.name, 'url', null,
      'createdBy', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end,
      'expiresAt', iso(l.expires_at), 'revokedAt', iso(l.revoked_at), 'openedAt', iso(l.opened_at), 'createdAt', iso(l.created_at)) as json
    from review_link l left join app_user u on u.id = l.created_by where ${condition}`)

const postOf = (workspaceId: string, postId: string) => query`select from post
  where workspace_id = ${workspaceId} and id = ${postId} and deleted_at is null`

/** The links of a post, newest first. */
export async function listReviewLinks(scope: Scope, postId: string) {
  const [[post], rows] = await scope.read(
    postOf(scope.workspaceId, postId),
    linksWhere(sql`l.workspace_id = ${scope.workspaceId} and l.post_id = ${postId} order by l.id desc limit 100`),
  )
  if (!post) throw new AppError('not_found')
  return { data: rows.map(({ json }) => json), nextCursor: null }
}

/** Makes a link to one post; only its hash is kept. Throws `not_found`, and `rate_limited` when too many are open. */
export async function addReviewLink(
  scope: Scope,
  { settings }: Pick<Ports, 'settings'>,
  postId: string,
  { name, days }: { name: string; days: number },
): Promise<ReviewLink> {
  return scope.transaction(async (tx) => {
    await tx.one(
      query`select from post where workspace_id = ${tx.workspaceId} and id = ${postId} and deleted_at is null for update`,
      'not_found',
    )
    const { open } = await tx.one(
      query<{ open: number }>`select count(*)::int as open from review_link where workspace_id = ${tx.workspaceId}
        and post_id = ${postId} and revoked_at is null and expires_at > ${tx.now}`,
      'not_found',
    )
    if (open >= LINKS) {
      throw new AppError('rate_limited', `At most ${LINKS} links of a post may be open: end one.`, { retryAfter: 3600 })
    }
    const id = uuidv7()
    const token = newSecret()
    await tx.run(query`insert into review_link (workspace_id, id, post_id, token_hash, name, created_by, expires_at, created_at)
      values (${tx.workspaceId}, ${id}, ${postId}, ${hashSecret(token)}, ${name},
        ${tx.actor.kind === 'user' ? tx.actor.userId : null}, ${new Date(tx.now.getTime() + days * DAY)}, ${tx.now})`)
    tx.record({ type: 'review_link.created', subject: { postId, linkId: id }, data: { name } })
    const { json } = await tx.one(linksWhere(sql`l.workspace_id = ${tx.workspaceId} and l.id = ${id}`), 'not_found')
    return { ...json, url: `${settings.publicUrl()}/app/review/${token}` }
  })
}

/** Ends the links of a post, or the one named: they open nothing from now on. Throws `not_found`. */
export async function revokeReviewLinks(scope: Scope, postId: string, linkId?: string): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.one(postOf(tx.workspaceId, postId), 'not_found')
    const one = linkId === undefined ? sql`true` : sql`id::text = ${linkId}`
    const ended = await tx.run(query<{ id: string }>`update review_link set revoked_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and post_id = ${postId} and revoked_at is null and ${one} returning id`)
    if (linkId !== undefined && ended.length === 0) throw new AppError('not_found')
    for (const { id } of ended) tx.record({ type: 'review_link.revoked', subject: { postId, linkId: id } })
  })
}

// ---- by the link

interface Opened {
  workspaceId: string
  id: string
  postId: string
}

/** The workspace's own scope for what a living link opens. Throws `link_expired`, also for what never was a link. */
async function open({ scope }: Pick<Scopes, 'scope'>, caller: Scope, token: string) {
  const [[found]] = await caller.read(query<Opened>`select * from review_link_facts(${hashSecret(token)})`)
  if (!found) throw new AppError('link_expired')
  return { ...found, scope: scope(found.workspaceId, caller.actor) }
}

/** Keeps the link from ending until the transaction does: its maker leaves before it or after it. Throws `link_expired`. */
const lockLink = (tx: Tx, id: string) =>
  tx.one(
    query`select from review_link where workspace_id = ${tx.workspaceId} and id = ${id} and revoked_at is null
      and expires_at > ${tx.now} for share`,
    'link_expired',
  )

type Facts = Pick<Review, 'workspace' | 'link' | 'changesAsked'> & { post: Post; trusted: boolean }

/**
 * What a link shows. `trusted`: who made it may decide, or the workspace demands no approval; a link of others, who could approve
 * their own posts by it, only shows and takes comments.
 */
const factsOf = (filesUrl: string, { workspaceId, id }: Opened) =>
  whole<{ json: Facts }>(sql`select json_build_object(
      'workspace', json_build_object('name', w.name, 'timezone', w.timezone, 'language', w.language, 'linkTags', w.link_tags),
      'link', json_build_object('name', l.name, 'expiresAt', iso(l.expires_at)),
      'post', (select shaped.json from (select ${postShape(filesUrl, 'CLIENT')}
        where p.workspace_id = l.workspace_id and p.id = l.post_id and p.deleted_at is null) shaped),
      'changesAsked', (select json_build_object('reason', r.reason, 'at', iso(r.decided_at), 'changedAt', (select iso(max(v.saved_at))
          from post_version v where v.workspace_id = r.workspace_id and v.post_id = r.post_id and v.saved_at > r.decided_at))
        from approval_request r where r.workspace_id = l.workspace_id and r.post_id = l.post_id and r.state = 'REJECTED'
          and r.decided_by is null and r.decided_by_name = l.name order by r.decided_at desc limit 1),
      'trusted', w.approval_mode in ('none', 'optional') or exists (select from member m where m.workspace_id = l.workspace_id
        and m.user_id = l.created_by and m.role in ('OWNER', 'ADMIN'))) as json
    from review_link l join workspace w on w.id = l.workspace_id
    where l.workspace_id = ${workspaceId} and l.id = ${id} and l.revoked_at is null and l.expires_at > app_now()`)

async function show(scope: Scope, { settings }: Pick<Ports, 'settings'>, opened: Opened): Promise<Review> {
  const [[facts], comments] = await scope.read(
    factsOf(settings.filesUrl(), opened),
    commentsWhere(
      'CLIENT',
      sql`c.workspace_id = ${scope.workspaceId} and c.post_id = ${opened.postId} order by c.id desc limit 100`,
    ),
  )
  if (!facts?.json.post) throw new AppError('link_expired')
  const { trusted, ...rest } = facts.json
  return {
    ...rest,
    comments: comments.map(({ json }) => json),
    mayDecide: trusted && mayDecide(rest.post, 'client'),
  }
}

type Visitor = { platform: Pick<Scopes, 'scope'>; caller: Scope }

/** What a link shows. Throws `link_expired`. */
export async function getReview({ platform, caller }: Visitor, ports: ApprovalPorts, token: string): Promise<Review> {
  const { scope, ...opened } = await open(platform, caller, token)
  await scope.write(query`update review_link set opened_at = app_now() where workspace_id = ${scope.workspaceId}
    and id = ${opened.id} and opened_at is null returning id`)
  return show(scope, ports, opened)
}

/** Decides by a link, of the version that was looked at. Throws `link_expired`, `stale_version`, `invalid_state`. */
export async function decideReview(
  { platform, caller }: Visitor,
  ports: ApprovalPorts,
  token: string,
  verdict: ApprovalVerdict,
  postVersion: number,
): Promise<Review> {
  const { scope, ...opened } = await open(platform, caller, token)
  await scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, opened.postId, postVersion)
    await lockLink(tx, opened.id)
    const { json } = await tx.one(factsOf(ports.settings.filesUrl(), opened), 'link_expired')
    if (!json.trusted) {
      throw new AppError('invalid_state', 'This link shows the post; it does not decide.', {
        current: post.status,
        allowed: [],
      })
    }
    await decide(tx, ports, post, verdict, { link: json.link.name })
  })
  return show(scope, ports, opened)
}

/** Comments by a link. Throws `link_expired`, `rate_limited`. */
export async function commentReview(
  { platform, caller }: Visitor,
  ports: ApprovalPorts,
  token: string,
  text: string,
): Promise<Review> {
  const { scope, ...opened } = await open(platform, caller, token)
  await countTry(caller, { key: `review ${opened.id}`, tries: PER_HOUR, seconds: 3600 })
  await scope.transaction(async (tx) => {
    await lockLink(tx, opened.id)
    const { json } = await tx.one(factsOf(ports.settings.filesUrl(), opened), 'link_expired')
    if (!json.post) throw new AppError('link_expired')
    await save(tx, opened.postId, 'CLIENT', { text, author: { id: null, name: json.link.name }, mentions: [] })
  })
  return show(scope, ports, opened)
}
