import { AppError } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { AnalyticsBasis, CurveMetric, PostAnalysis } from './api.ts'
import { basisOf, COMPARED_DAYS, COMPARED_POSTS, ownPost, postJson } from './posts.ts'
import { viewsOf } from './readings.ts'
import { EARLY_HOURS } from '../metrics/rules.ts'
import { curveAges, LEAST_POSTS, READ_WITHIN, reasonsOf } from './rules.ts'

/** A post has no readings later than this many days after it was published. */
const READ_DAYS = 95

const CURVE: readonly CurveMetric[] = ['views', 'reach', 'engagement', 'likes', 'comments', 'shares', 'saves']
const columns = (of: string) =>
  sql.raw(CURVE.map((each) => (each === 'views' ? `m.views` : `${of}.${each}`)).join(', '))

type Values = Readonly<Record<CurveMetric, number | null>>
/**
 * The other posts at an age. `less` counts those with less engagement than this post, and `told` those that report
 * engagement at all.
 */
type AtAge = Values & { ageHours: number; n: number; own: Values | null; less: number; told: number }

/**
 * Returns a measured post with its curve, and the posts of its account and kind to compare it with. Throws `not_found`.
 */
export async function getPost(scope: Scope, { settings }: Pick<Ports, 'settings'>, id: string): Promise<PostAnalysis> {
  const { workspaceId } = scope
  const [[post], curve, ages] = await scope.read(
    query<{ json: PostAnalysis['post']; basis: AnalyticsBasis }>`
      with c as (select p.*, ${viewsOf('p')} as views, a.name as account_name, a.platform from measured_post p
        join social_account a on a.workspace_id = p.workspace_id and a.id = p.account_id
        where p.workspace_id = ${workspaceId} and p.id = ${id})
      select ${postJson(settings.filesUrl())} as json from c ${ownPost}`,
    query<
      PostAnalysis['curve'][number]
    >`with one as (select published_at::date as day from measured_post where workspace_id = ${workspaceId} and id = ${id})
      select m.day::text as day, iso(m.read_at) as read_at, m.age_hours, ${columns('m')}
      from (select m.*, ${viewsOf('m')} as views from post_metric m where m.workspace_id = ${workspaceId} and m.post_id = ${id}
        and m.day >= (select day - 1 from one) and m.day <= (select day + ${sql.lit(READ_DAYS)} from one)) m
      order by m.day`,
    atAges(workspaceId, id),
  )
  if (!post) throw new AppError('not_found')
  const { json } = post
  const compared = ages.filter(({ n }) => n >= LEAST_POSTS)
  // Statements about a post are made at its greatest age that enough others have reached.
  const last = compared.findLast(({ own }) => own !== null)
  return {
    post: json,
    curve,
    kindMedian: compared.map(mediansOf),
    percentile:
      last && last.own!.engagement !== null && last.told >= LEAST_POSTS
        ? { value: Math.round((last.less / last.told) * 100), ageHours: last.ageHours, n: last.told }
        : null,
    reasons: last ? reasonsOf(last.own!, mediansOf(last)) : [],
    basis: basisOf({
      coverage: json.readAt === null ? 0 : 1,
      readAt: json.readAt,
      nextAt: json.goneAt === null ? json.nextReadAt : null,
    }),
  }
}

const mediansOf = ({ own: _, less: __, told: ___, ...median }: AtAge) => median

/**
 * Selects for each age at which a post has a reading its values and the medians of the other posts of its account and
 * kind. Bounds that depend only on this post are known before the statement runs, so other months are skipped whatever
 * the join order.
 */
const atAges = (workspaceId: string, id: string) => query<AtAge>`
  with one as (select account_id, kind, published_at from measured_post where workspace_id = ${workspaceId} and id = ${id}),
  kin as (
    (select p.id, p.published_at from measured_post p, one where p.workspace_id = ${workspaceId} and p.account_id = one.account_id
      and p.kind = one.kind and p.id <> ${id} and p.published_at >= one.published_at - make_interval(days => ${COMPARED_DAYS})
      and p.published_at <= one.published_at + make_interval(days => ${COMPARED_DAYS})
      order by p.published_at desc limit ${COMPARED_POSTS})
    union all select ${id}::uuid, one.published_at from one
  ), age(hours) as (
    select h from one, unnest(case when one.kind = 'story' then ${curveAges('story')}::int[] else ${curveAges('post')}::int[] end) h
  ), reading as (
    select distinct on (kin.id, age.hours) kin.id, age.hours, ${columns('m')}
    from kin join lateral (select m.*, ${viewsOf('m')} as views from post_metric m where m.workspace_id = ${workspaceId}
      and m.post_id = kin.id and m.day >= kin.published_at::date - 1 and m.day <= kin.published_at::date + ${sql.lit(READ_DAYS)}
      and m.day >= (select published_at::date - ${sql.lit(COMPARED_DAYS + 1)} from one)
      and m.day <= (select published_at::date + ${sql.lit(COMPARED_DAYS + READ_DAYS)} from one)) m on true
    join age on m.age_hours >= age.hours - ${sql.lit(EARLY_HOURS)} and m.age_hours <= age.hours + ${sql.lit(READ_WITHIN)}
    order by kin.id, age.hours, m.day
  ), own as (select hours, ${sql.raw(CURVE.join(', '))} from reading where id = ${id})
  select r.hours as "ageHours", count(*) filter (where r.id <> ${id})::int as n,
    ${sql.raw(
      CURVE.map(
        (each) => `percentile_cont(0.5) within group (order by r.${each}) filter (where r.id <> o.id) as "${each}"`,
      ).join(', '),
    )},
    (select row_to_json(x) from (select ${sql.raw(CURVE.join(', '))} from own where own.hours = r.hours) x) as own,
    count(*) filter (where r.id <> ${id} and r.engagement < own.engagement)::int as less,
    count(*) filter (where r.id <> ${id} and r.engagement is not null)::int as told
  from reading r left join own on own.hours = r.hours cross join (select ${id}::uuid as id) o group by r.hours order by r.hours`
