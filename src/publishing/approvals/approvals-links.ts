import { uuidv7 } from 'uuidv7'
import { AppError, type Fault, invalid } from '../../core/errors.ts'
import { hashSecret, newSecret } from '../../core/platform/crypto.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { countWith } from '../../core/platform/limits.ts'
import { postMail } from '../../core/platform/mail.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { assertConfirmed } from '../../team/identity/assert-confirmed.ts'
import type { Ports } from '../../services.ts'
import type { ReviewLink, SharedReviewLink } from './api.ts'
import { inBrief } from './approvals.ts'
import { reviewLetter } from './letters.ts'

// How members create, list and end review links.

const DAY = 86_400_000
const DAYS = 14
const MOST_DAYS = 60
/** The maximum number of open links of a post. */
const LINKS = 20
/** Limits on letters with links: from a workspace, to an address across all workspaces, and from a person. */
const LETTERS = {
  workspace: { tries: 100, seconds: 86_400 },
  address: { tries: 5, seconds: 86_400 },
  sender: { tries: 60, seconds: 3_600 },
}

type Needs = Pick<Ports, 'crypto' | 'mail' | 'settings'>

/** The posts of a link `l` in order, including deleted ones. */
export const postsOfLink = sql`(select l.post_id as id, 0 as position
  union all select f.post_id, f.position from review_link_further_post f
    where f.workspace_id = l.workspace_id and f.link_id = l.id)`

const holds = (postId: string) => sql`(l.post_id = ${postId} or exists (select from review_link_further_post f
  where f.workspace_id = l.workspace_id and f.link_id = l.id and f.post_id = ${postId}))`

/** The fields of a link `l` and its creator `u` that every response has. */
const linkFields = sql`'id', l.id, 'name', nullif(l.name, ''), 'url', null,
  'createdBy', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end,
  'expiresAt', iso(l.expires_at), 'revokedAt', iso(l.revoked_at), 'openedAt', iso(l.opened_at), 'createdAt', iso(l.created_at)`

/** Selects links in the shape that the endpoints of a single post return. */
const linksOfPost = (postId: string, condition: ReturnType<typeof sql>) =>
  whole<{ json: ReviewLink }>(sql`select json_build_object('postId', ${postId}::uuid, ${linkFields}) as json
    from review_link l left join app_user u on u.id = l.created_by where ${condition}`)

const sharedLinks = ({ settings }: Pick<Ports, 'settings'>, condition: ReturnType<typeof sql>) =>
  whole<{ json: SharedReviewLink }>(sql`select json_build_object(${linkFields},
      'posts', coalesce(held.posts, '[]'), 'deletedPosts', held.deleted) as json
    from review_link l left join app_user u on u.id = l.created_by
    cross join lateral (
      select json_agg(${inBrief(settings.filesUrl())}::jsonb || jsonb_build_object('id', p.id) order by o.position)
          filter (where p.deleted_at is null) as posts,
        count(*) filter (where p.deleted_at is not null)::int as deleted
      from ${postsOfLink} o join post p on p.workspace_id = l.workspace_id and p.id = o.id) held
    where ${condition}`)

const postOf = (workspaceId: string, postId: string) => query`select from post
  where workspace_id = ${workspaceId} and id = ${postId} and deleted_at is null`

/** Returns a page of the links that open a post, newest first. */
export async function listReviewLinks(scope: Scope, postId: string, request: PageRequest): Promise<Page<ReviewLink>> {
  const links = page(sql`l.id`, request)
  const [[post], rows] = await scope.read(
    postOf(scope.workspaceId, postId),
    linksOfPost(postId, sql`l.workspace_id = ${scope.workspaceId} and ${holds(postId)} and ${links.rows}`),
  )
  if (!post) throw new AppError('not_found')
  return links.of(rows.map(({ json }) => json))
}

/** Returns a page of all links of the workspace, newest first. */
export async function listSharedReviewLinks(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  request: PageRequest,
): Promise<Page<SharedReviewLink>> {
  const links = page(sql`l.id`, request)
  const [rows] = await scope.read(sharedLinks(ports, sql`l.workspace_id = ${scope.workspaceId} and ${links.rows}`))
  return links.of(rows.map(({ json }) => json))
}

// ---- making

/**
 * Creates a link to one post and stores only its hash. Throws `not_found`, and `too_many_saved` if the post has too
 * many open links.
 */
export async function addReviewLink(
  scope: Scope,
  { settings }: Pick<Ports, 'settings'>,
  postId: string,
  { name, days }: { name: string; days: number },
): Promise<ReviewLink> {
  return scope.transaction(async (tx) => {
    if ((await lockPosts(tx, [postId])).length === 0) throw new AppError('not_found')
    const { id, url } = await make(tx, settings, { postIds: [postId], name, until: daysFrom(tx.now, days) })
    const { json } = await tx.one(
      linksOfPost(postId, sql`l.workspace_id = ${tx.workspaceId} and l.id = ${id}`),
      'not_found',
    )
    return { ...json, url }
  })
}

/** The name of a link that was made for no one in particular. The first reviewer to act enters theirs. */
export const NAMELESS = ''

interface Sharing {
  postIds: string[]
  name?: string | undefined
  expiresAt?: Date | undefined
  emails?: string[] | undefined
}

/**
 * Creates one link to several posts and mails it to each address. Throws `validation_failed`, `too_many_saved` if a
 * post has too many open links, `rate_limited` for letters, `provider_not_configured`, and `invalid_state` if the sender
 * of letters has confirmed no address or number.
 */
export async function shareReviewLink(
  scope: Scope,
  ports: Needs,
  sender: { userId: string; emailConfirmed: boolean },
  { postIds, name, expiresAt, emails = [] }: Sharing,
): Promise<SharedReviewLink> {
  const addresses = [...new Set(emails)]
  if (addresses.length > 0) {
    if (!ports.mail.configured)
      throw new AppError(
        'provider_not_configured',
        'No mail server is set up. Ask the Parley administrator to configure one.',
      )
    assertConfirmed(sender.emailConfirmed, 'send review links')
  }
  return scope.transaction(async (tx) => {
    const until = expiresAt ?? daysFrom(tx.now, DAYS)
    const found = await lockPosts(tx, postIds)
    const faults = [...faultsOfPosts(postIds, found), ...faultsOfEnd(until, tx.now)]
    if (faults.length > 0) throw invalid(...faults)
    const workspace = await tx.one(
      query<{ name: string; language: string; timezone: string }>`select name, language, timezone from workspace
        where id = ${tx.workspaceId}`,
      'not_found',
    )
    const called = name ?? (addresses.length === 1 ? addresses[0]!.slice(0, 100) : NAMELESS)
    const { id, url } = await make(tx, ports.settings, { postIds, name: called, until })
    const { json } = await tx.one(
      sharedLinks(ports, sql`l.workspace_id = ${tx.workspaceId} and l.id = ${id}`),
      'not_found',
    )
    for (const to of addresses) {
      await countLetter(tx, sender.userId, to)
      const by = json.createdBy?.name ?? ''
      const letter = reviewLetter(workspace, { by, posts: postIds.length, until }, url)
      postMail(tx, ports, { kind: 'review link', to, letter, until })
    }
    return { ...json, url }
  })
}

const daysFrom = (now: Date, days: number) => new Date(now.getTime() + days * DAY)

function faultsOfPosts(postIds: readonly string[], found: readonly string[]): Fault[] {
  return postIds.flatMap((id, index) => {
    const path = `/postIds/${index}`
    if (postIds.indexOf(id) < index) return [{ path, code: 'duplicate', message: 'This post is listed twice.' }]
    return found.includes(id) ? [] : [{ path, code: 'unknown_id', message: 'No post has this ID.' }]
  })
}

function faultsOfEnd(until: Date, now: Date): Fault[] {
  const path = '/expiresAt'
  if (until <= now) return [{ path, code: 'in_the_past', message: 'This time has passed. Choose a later one.' }]
  if (until <= daysFrom(now, MOST_DAYS)) return []
  return [
    { path, code: 'out_of_range', message: `Choose a time at most ${MOST_DAYS} days from now.`, limit: MOST_DAYS },
  ]
}

/** Locks those of the posts that are not deleted and returns their ids. Every transaction locks posts in this order. */
async function lockPosts(tx: Tx, postIds: readonly string[]): Promise<string[]> {
  const rows = await tx.run(query<{ id: string }>`select id from post where workspace_id = ${tx.workspaceId}
    and id = any (${postIds}::uuid[]) and deleted_at is null order by id for update`)
  return rows.map(({ id }) => id)
}

interface NewLink {
  postIds: readonly string[]
  name: string
  until: Date
}

async function make(tx: Tx, settings: Ports['settings'], { postIds, name, until }: NewLink) {
  const { most } = await tx.one(
    query<{ most: number }>`select coalesce(max(open), 0)::int as most from (select count(*) as open
      from review_link l cross join lateral ${postsOfLink} o where l.workspace_id = ${tx.workspaceId}
        and o.id = any (${postIds}::uuid[]) and l.revoked_at is null and l.expires_at > ${tx.now} group by o.id) each`,
    'not_found',
  )
  if (most >= LINKS) {
    throw new AppError('too_many_saved', `A post can have up to ${LINKS} valid review links. Revoke one first.`, {
      limit: LINKS,
    })
  }
  const id = uuidv7()
  const token = newSecret()
  const [first, ...further] = postIds
  await tx.run(query`insert into review_link (workspace_id, id, post_id, token_hash, name, created_by, expires_at, created_at)
    values (${tx.workspaceId}, ${id}, ${first}, ${hashSecret(token)}, ${name},
      ${userIdOf(tx.actor)}, ${until}, ${tx.now})`)
  await tx.run(query`insert into review_link_further_post (workspace_id, link_id, post_id, position)
    select ${tx.workspaceId}, ${id}, post_id, position
    from unnest(${further}::uuid[]) with ordinality as f (post_id, position)`)
  tx.record({ type: 'review_link.created', subject: { postId: first, linkId: id }, data: { name } })
  return { id, url: `${settings.publicUrl()}/app/review/${token}` }
}

async function countLetter(tx: Tx, sender: string, email: string): Promise<void> {
  await countWith(tx, { key: `review letters:${tx.workspaceId}`, ...LETTERS.workspace })
  await countWith(tx, { key: `review letters by ${sender}`, ...LETTERS.sender })
  await countWith(tx, { key: `review letters to ${email}`, ...LETTERS.address })
}

// ---- ending

/** Ends all links that open a post, or only `linkId`; an ended link opens none of its posts. Throws `not_found`. */
export async function revokeReviewLinks(scope: Scope, postId: string, linkId?: string): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.one(postOf(tx.workspaceId, postId), 'not_found')
    const one = linkId === undefined ? sql`true` : sql`l.id::text = ${linkId}`
    const ended = await end(tx, sql`${holds(postId)} and ${one}`)
    if (linkId !== undefined && ended === 0) throw new AppError('not_found')
  })
}

/** Ends a link. Throws `not_found`, also if it has already ended. */
export async function endReviewLink(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    if ((await end(tx, sql`l.id = ${id}`)) === 0) throw new AppError('not_found')
  })
}

async function end(tx: Tx, which: ReturnType<typeof sql>): Promise<number> {
  const ended = await tx.run(query<{ id: string; postId: string }>`update review_link l set revoked_at = ${tx.now}
    where l.workspace_id = ${tx.workspaceId} and l.revoked_at is null and ${which} returning l.id, l.post_id`)
  for (const { id, postId } of ended) tx.record({ type: 'review_link.revoked', subject: { postId, linkId: id } })
  return ended.length
}
