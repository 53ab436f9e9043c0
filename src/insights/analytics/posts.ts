import { pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { fileUrl } from '../../publishing/media/media.ts'
import type { AnalyticsBasis, Divisor, PostAge, PostSort, RankedPost } from './api.ts'
import { type AskedPeriod, ofAccounts } from './overview.ts'
import { checkPeriod } from './period.ts'
import { VALUES, valuesShape } from '../metrics/values.ts'
import { figureOf, readingAt, viewsOf } from './readings.ts'
import { AGE_HOURS, LEAST_POSTS, type Span } from './rules.ts'

/** A post is compared with others of this many days, and with at most this many of them. */
export const COMPARED_DAYS = 180
export const COMPARED_POSTS = 200

type Settings = Pick<Ports, 'settings'>

interface Asked extends AskedPeriod {
  at?: PostAge | undefined
  /** Whether a reading counts for the age however late it is. */
  late?: boolean
  text?: string | undefined
}

const values = (of: string) => sql.raw(VALUES.map((column) => `${of}.${column}`).join(', '))

/** The time zone of the workspace. */
const zoneOf = (workspaceId: string) => sql`(select timezone from workspace where id = ${workspaceId})`

/** The condition for a post `p` that was published in a period. */
export const publishedIn = (workspaceId: string, { from, to }: Span) =>
  sql`p.published_at >= ${from}::date::timestamp at time zone ${zoneOf(workspaceId)}
    and p.published_at < ${to}::date::timestamp at time zone ${zoneOf(workspaceId)}`

/**
 * Selects the posts of a period with their last values, or with those at an age. `read_at` is then null if there is no
 * reading.
 */
export function chosenPosts(workspaceId: string, asked: Asked) {
  const reading = asked.at
    ? readingAt(
        { workspaceId, id: sql`p.id`, publishedAt: sql`p.published_at` },
        sql.lit(AGE_HOURS[asked.at]),
        sql`m.read_at, ${values('m')}`,
        asked,
      )
    : sql`(select p.read_at, ${values('p')})`
  return sql`select p.workspace_id, p.id, p.account_id, p.delivery_id, p.external_id, p.kind, p.caption, p.permalink,
      p.published_at, p.topic, p.format, p.tone, ${asked.at ? sql`'{}'::jsonb` : sql`p.known_at`} as known_at, p.next_read_at, p.gone_at, p.unmeasurable,
      a.name as account_name, a.platform, v.read_at, ${values('v')}, ${viewsOf('v')} as views
    from social_account a join measured_post p on p.workspace_id = a.workspace_id and p.account_id = a.id
    left join lateral ${reading} v on true
    where a.workspace_id = ${workspaceId} and ${ofAccounts(asked)} and ${publishedIn(workspaceId, asked)}
      and ${asked.text ? sql`strpos(lower(p.caption), lower(${asked.text})) > 0` : sql`true`}`
}

/** A measured post `c` as JSON, with our own post if it is one. */
export const postJson = (filesUrl: string) => sql`json_build_object('id', c.id, 'accountId', c.account_id,
  'accountName', c.account_name, 'platform', c.platform, 'publicationId', c.delivery_id, 'externalId', c.external_id,
  'kind', c.kind, 'caption', c.caption, 'permalink', c.permalink, 'publishedAt', iso(c.published_at),
  ${valuesShape('c')},
  'views', c.views, 'knownAt', c.known_at, 'readAt', iso(c.read_at), 'nextReadAt', iso(c.next_read_at),
  'goneAt', iso(c.gone_at), 'unmeasurable', c.unmeasurable, 'postId', o.id,
  'thumbnailUrl', (select ${fileUrl(filesUrl, sql`f.thumbnail_key`)} from post_media j
    join media_file f on f.workspace_id = j.workspace_id and f.id = j.media_file_id
    where j.workspace_id = o.workspace_id and j.post_id = o.id order by j.sort_order limit 1))`

/** Joins our own post `o` to a measured post `c`. */
export const ownPost = sql`left join delivery d on d.workspace_id = c.workspace_id and d.id = c.delivery_id
  left join post o on o.workspace_id = d.workspace_id and o.id = d.post_id and o.deleted_at is null`

interface Listed {
  data: { key: number; id: string; post: RankedPost }[]
  count: number
  leftOut: number
  coverage: number | null
  divisor: Divisor | null
  readAt: string | null
  nextAt: string | null
}

/** The aggregates of a list of posts, for `Listed`. */
export const postsBasis = sql`'coverage', round(count(*) filter (where read_at is not null)::numeric / nullif(count(*), 0), 3),
  'readAt', iso(coalesce(min(read_at) filter (where next_read_at is not null), max(read_at))),
  'nextAt', iso(min(next_read_at) filter (where gone_at is null))`

export const basisOf = ({ coverage, readAt, nextAt }: Pick<AnalyticsBasis, 'coverage' | 'readAt' | 'nextAt'>) => ({
  kind: 'posts' as const,
  coverage,
  gaps: [],
  provisionalDays: [],
  readAt,
  nextAt,
})

/**
 * The first parts of a statement about the posts of a period: `chosen` has the posts, `divisor` the one divisor that
 * every network among them reports, and `rated` those with a reading, each with its rate.
 */
export const ratedPosts = (workspaceId: string, asked: Asked) => sql`
  chosen as materialized (${chosenPosts(workspaceId, asked)}),
  followers as (
    select a.id as account_id, (select m.followers from account_metric m where m.workspace_id = a.workspace_id
        and m.account_id = a.id and m.day < ${asked.to}::date and m.followers is not null order by m.day desc limit 1)
    from social_account a where a.workspace_id = ${workspaceId}
  ), divisor as (
    select case when bool_and(reach) then 'reach' when bool_and(views) then 'views' when bool_and(followers) then 'followers' end
      as name
    from (select bool_or(c.reach is not null) as reach, bool_or(c.views is not null) as views,
        bool_and(f.followers is not null) as followers
      from chosen c join followers f using (account_id) where c.engagement is not null group by c.platform) n
  ), rated as (
    select c.*, c.engagement::float8 / nullif(case d.name when 'reach' then c.reach when 'views' then c.views
      when 'followers' then f.followers end, 0) as rate
    from chosen c join followers f using (account_id) cross join divisor d
    where ${asked.at ? sql`c.read_at is not null` : sql`true`}
  )`

/** The statement for a page of ranked posts, which returns one row. */
export function postsStatement(
  workspaceId: string,
  filesUrl: string,
  asked: Asked & { sort: PostSort },
  rows: ReturnType<typeof sql>,
) {
  const { at, sort } = asked
  const ages = Object.values(at ? { [at]: AGE_HOURS[at] } : AGE_HOURS)
  const age = sql`unnest(${ages}::int[]) b(hours)`
  const key = {
    publishedAt: sql`extract(epoch from c.published_at)::bigint`,
    rate: sql`coalesce(round(least(c.rate, 1e6) * 1e9)::bigint + 1, 0)`,
    figure: sql`coalesce(greatest(${figureOf(sort, 'c')}, 0) + 1, 0)`,
  }[sort === 'publishedAt' || sort === 'rate' ? sort : 'figure']
  const figure = sql`${figureOf(sort, 'm')}::float8 as value`
  return query<{ json: Listed }>`
    with ${ratedPosts(workspaceId, asked)}, page as materialized (
      select * from (select c.*, ${key} as key from rated c) c where ${rows}
    ), kin as materialized (
      select q.account_id, q.kind, q.id, b.hours, v.value
      from (select distinct account_id, kind from page) g
      cross join lateral (select q.* from measured_post q where q.workspace_id = ${workspaceId} and q.account_id = g.account_id
        and q.published_at >= (${asked.to}::date - ${COMPARED_DAYS}::int)::timestamp and q.published_at < ${asked.to}::date + 1
        and q.kind = g.kind order by q.published_at desc limit ${COMPARED_POSTS}) q
      cross join ${age}
      join lateral ${readingAt({ workspaceId, id: sql`q.id`, publishedAt: sql`q.published_at` }, sql`b.hours`, figure)} v
        on v.value is not null
    ), ranked as (
      select c.key, c.id, ${postJson(filesUrl)}::jsonb || jsonb_build_object('rate', c.rate,
        'againstMedian', case when middle.n >= ${LEAST_POSTS} then own.value / nullif(middle.median, 0) end) as post
      from page c ${ownPost}
      left join lateral (select b.hours, v.value from ${age}
        join lateral ${readingAt({ workspaceId, id: sql`c.id`, publishedAt: sql`c.published_at` }, sql`b.hours`, figure)} v
          on v.value is not null order by b.hours desc limit 1) own on true
      left join lateral (select count(*) as n, percentile_cont(0.5) within group (order by k.value) as median from kin k
        where k.account_id = c.account_id and k.kind = c.kind and k.hours = own.hours and k.id <> c.id) middle on true
    )
    select (select json_build_object(${postsBasis},
          'count', count(*) filter (where ${at ? sql`read_at is not null` : sql`true`}),
          'leftOut', count(*) filter (where ${at ? sql`read_at is null` : sql`false`})) from chosen)::jsonb
      || jsonb_build_object('divisor', (select name from divisor), 'data', coalesce((select jsonb_agg(
        jsonb_build_object('key', key, 'id', id, 'post', post) order by key desc, id desc) from ranked), '[]')) as json`
}

/** Lists the posts that were published in a period, ranked. Throws `validation_failed`. */
export async function listPosts(
  scope: Scope,
  { settings }: Settings,
  asked: Asked & PageRequest & { sort: PostSort },
): Promise<{
  data: RankedPost[]
  nextCursor: string | null
  count: number
  leftOut: number
  divisor: Divisor | null
  basis: AnalyticsBasis
}> {
  checkPeriod(asked)
  const page = pageBy<{ key: number; id: string }>(
    [
      [sql`c.key`, 'bigint'],
      [sql`c.id`, 'uuid'],
    ],
    asked,
    ({ key, id }) => [key, id],
  )
  const [[found]] = await scope.read(postsStatement(scope.workspaceId, settings.filesUrl(), asked, page.rows))
  const { data, nextCursor } = page.of(found!.json.data)
  const { count, leftOut, divisor } = found!.json
  return { data: data.map(({ post }) => post), nextCursor, count, leftOut, divisor, basis: basisOf(found!.json) }
}
