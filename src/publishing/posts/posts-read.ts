import { accountsWhere } from '../../channels/accounts.ts'
import { fileUrl } from '../media/media.ts'
import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { page } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { labelMark, labelOrder } from '../../team/labels/labels.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { CalendarFilter, Post, PostFilter } from './api.ts'
import { checksOf, outlookWhere, taggingWhere, twinsWhere } from './posts-content.ts'
import { contentOf } from './compose/rules.ts'
import { RISKS } from './rules.ts'
import { postShape, timeHasPassed, unapproved, visibleTo } from './posts-shape.ts'

type PostPorts = Pick<Ports, 'networks' | 'settings'>

const postById = (filesUrl: string, workspaceId: string, id: string, role: Role | null) =>
  whole<{
    json: Post
    unapproved: boolean
    timePassed: boolean
  }>(sql`select ${unapproved} as unapproved, ${timeHasPassed} as time_passed, ${postShape(filesUrl, role)} where p.workspace_id = ${workspaceId} and p.id = ${id}
    and ${visibleTo(role)}`)

const accountsOf = (ports: PostPorts, workspaceId: string, postId: string) =>
  accountsWhere(
    ports,
    sql`a.workspace_id = ${workspaceId} and a.id in (select account_id from publication
    where workspace_id = ${workspaceId} and post_id = ${postId})`,
  )

/** Returns a post with its current findings. Throws `not_found`, also for a deleted post. */
export async function getPost(scope: Scope, ports: PostPorts, id: string, role: Role | null): Promise<Post> {
  const [[row], accounts, outlook, twins, [links]] = await scope.read(
    postById(ports.settings.filesUrl(), scope.workspaceId, id, role),
    accountsOf(ports, scope.workspaceId, id),
    outlookWhere(sql`p.workspace_id = ${scope.workspaceId} and p.id = ${id}`),
    twinsWhere(sql`p.workspace_id = ${scope.workspaceId} and p.id = ${id} and p.status in ('DRAFT', 'SCHEDULED')`),
    taggingWhere(sql`p.workspace_id = ${scope.workspaceId} and p.id = ${id}`),
  )
  if (!row || row.json.deletedAt) throw new AppError('not_found')
  const post = row.json
  if (post.status === 'PUBLISHING' || post.status === 'PUBLISHED' || role === 'CLIENT') return post
  return {
    ...post,
    checks: checksOf(
      contentOf(post),
      accounts.map((each) => each.json),
      ports,
      { unapproved: row.unapproved, timePassed: row.timePassed, outlook, twins, tagging: links?.tagging ?? null },
    ),
  }
}

/** Selects a post as the API shows it to a role that has just acted on it. */
export const postRow = (tx: Tx, { settings }: Pick<Ports, 'settings'>, id: string, role: Role | null = null) =>
  sql<{
    json: Post
  }>`select ${postShape(settings.filesUrl(), role)} where p.workspace_id = ${tx.workspaceId} and p.id = ${id}`

/** Returns a post within a transaction. */
export async function readPost(
  tx: Tx,
  ports: Pick<Ports, 'settings'>,
  id: string,
  role: Role | null = null,
): Promise<Post> {
  const { json } = await tx.one(whole(postRow(tx, ports, id, role)), 'not_found')
  return json
}

type Narrowing = Pick<PostFilter, 'status' | 'approval' | 'platform' | 'accountId' | 'mediaFileId' | 'label' | 'text'>

/** Selects the posts that are not deleted, that a role may see and that match a filter. */
function matching(
  workspaceId: string,
  { status, approval, platform, accountId, mediaFileId, label, text }: Narrowing,
  role: Role | null,
) {
  const conditions = [sql`p.workspace_id = ${workspaceId}`, sql`p.deleted_at is null`, visibleTo(role)]
  if (status) conditions.push(sql`p.status = any (${status})`)
  if (approval) {
    conditions.push(sql`(select r.state from approval_request r where r.workspace_id = p.workspace_id and r.post_id = p.id
      order by r.id desc limit 1) = ${approval}`)
  }
  if (text) conditions.push(sql`p.caption ilike ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`)
  if (platform) {
    conditions.push(sql`exists (select from publication t join social_account a on a.workspace_id = t.workspace_id
      and a.id = t.account_id where t.workspace_id = p.workspace_id and t.post_id = p.id and t.dropped_at is null
      and a.platform = ${platform})`)
  }
  if (mediaFileId) {
    conditions.push(sql`exists (select from post_media m where m.workspace_id = p.workspace_id and m.post_id = p.id
      and m.media_file_id = ${mediaFileId})`)
  }
  if (label) {
    conditions.push(sql`exists (select from post_label j where j.workspace_id = p.workspace_id and j.post_id = p.id
      and j.label_id = any (${label}::uuid[]))`)
  }
  if (accountId) {
    conditions.push(sql`exists (select from publication t where t.workspace_id = p.workspace_id and t.post_id = p.id
      and t.dropped_at is null and t.account_id = ${accountId})`)
  }
  return conditions
}

/** Returns a page of posts, newest first, as the JSON text of the response. */
export async function listPosts(
  scope: Scope,
  { settings }: Pick<Ports, 'settings'>,
  filter: PostFilter,
  role: Role | null,
) {
  const posts = page(sql`p.id`, filter)
  const conditions = matching(scope.workspaceId, filter, role)
  if (filter.from) conditions.push(sql`p.happens_at >= ${filter.from}`)
  if (filter.to) conditions.push(sql`p.happens_at < ${filter.to}`)
  const [rows] = await scope.read(
    query<{ id: string; json: string }>`select listed.id, listed.json::text as json
      from (select p.id, ${postShape(settings.filesUrl(), role)}
        where ${sql.join(conditions, sql` and `)} and ${posts.rows}) listed`,
  )
  const { data, nextCursor } = posts.of(rows)
  return `{"data":[${data.map(({ json }) => json).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

const CALENDAR_DAYS = 100

/** Returns all posts between two times, ordered by time, as the JSON text of the response. At most 100 days. */
export async function getCalendar(
  scope: Scope,
  { settings }: Pick<Ports, 'settings'>,
  { from, to, ...filter }: CalendarFilter,
  role: Role | null,
): Promise<string> {
  const days = (to.getTime() - from.getTime()) / 86_400_000
  if (days <= 0 || days > CALENDAR_DAYS) {
    throw invalid({
      path: '/to',
      code: 'out_of_range',
      message: `Must be after \`from\`, by at most ${CALENDAR_DAYS} days.`,
      limit: CALENDAR_DAYS,
    })
  }
  // Rows of other tables are read for all posts at once, by post id. Aggregating rows to JSON takes three quarters of
  // the time of aggregating objects.
  const theirs = sql`workspace_id = ${scope.workspaceId} and post_id = any (array(select id from page))`
  const [[found]] = await scope.read(query<{ json: string }>`
    with page as materialized (
      select p.id, p.status, p.happens_at, p.scheduled_at, left(p.caption, 200) as caption, p.checks, p.approved, p.version
      from post p where ${sql.join(matching(scope.workspaceId, filter, role), sql` and `)}
        and p.happens_at >= ${from} and p.happens_at < ${to}
        and (p.status <> 'DRAFT' or p.scheduled_at is not null)
    ), account as (select id, platform from social_account where workspace_id = ${scope.workspaceId}
    ), target as (
      select t.post_id, json_agg(distinct a.platform) as platforms, bool_and(t.stopped) as stopped
      from (select post_id, account_id, state = 'FAILED' and error ->> 'code' = 'stopped' as stopped from publication
        where ${theirs} and dropped_at is null) t
      join account a on a.id = t.account_id group by t.post_id
    ), thumbnail as (
      select distinct on (m.post_id) m.post_id, f.thumbnail_key
      from (select post_id, media_file_id, sort_order from post_media where ${theirs}) m
      join media_file f on f.workspace_id = ${scope.workspaceId} and f.id = m.media_file_id order by m.post_id, m.sort_order
    ), mark as (
      select j.post_id, json_agg(${labelMark} order by ${labelOrder}) as labels
      from (select post_id, label_id from post_label where ${theirs}) j
      join label l on l.workspace_id = ${scope.workspaceId} and l.id = j.label_id group by j.post_id
    ), request as (
      select distinct on (post_id) post_id, state from approval_request where ${theirs} order by post_id, id desc
    )
    select json_build_object('data', coalesce(json_agg(shown), '[]'), 'nextCursor', null)::text as json from (
      select p.id, p.status, iso(p.happens_at) as "happensAt", iso(p.scheduled_at) as "scheduledAt", p.caption,
        coalesce(t.platforms, '[]') as platforms, coalesce(k.labels, '[]') as labels,
        ${fileUrl(settings.filesUrl(), sql`f.thumbnail_key`)} as "thumbnailUrl",
        p.status = 'FAILED' and coalesce(t.stopped, false) as stopped,
        case when p.checks = '[]' then 0 else (select count(*)::int from jsonb_array_elements(p.checks) c
          where (c ->> 'severity' = 'error' or c ->> 'code' = any (${RISKS})) and ${role !== 'CLIENT'}) end as problems,
        case when r.state is not null then json_build_object('state', r.state) end as approval, p.approved, p.version
      from page p left join target t on t.post_id = p.id left join thumbnail f on f.post_id = p.id
      left join mark k on k.post_id = p.id left join request r on r.post_id = p.id order by p.happens_at, p.id) shown`)
  return found?.json ?? '{"data":[],"nextCursor":null}'
}
