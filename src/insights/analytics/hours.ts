import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { AnalyticsBasis, HourCell, Period, PostAge } from './api.ts'
import { checkPeriod } from './period.ts'
import { basisOf, chosenPosts, postsBasis } from './posts.ts'

interface Found {
  data: HourCell[]
  count: number
  leftOut: number
  coverage: number | null
  readAt: string | null
  nextAt: string | null
}

/**
 * Returns the posts of a period by weekday and hour, each relative to the median of its account and kind, so that a
 * network with many more people does not make an hour look good. Late readings count, as they do for best times. Throws
 * `validation_failed`.
 */
export async function listHours(
  scope: Scope,
  asked: Period & { at: PostAge },
): Promise<{ data: HourCell[]; nextCursor: null; count: number; leftOut: number; basis: AnalyticsBasis }> {
  checkPeriod(asked)
  const { workspaceId } = scope
  const [[found]] = await scope.read(query<{ json: Found }>`
    with chosen as materialized (${chosenPosts(workspaceId, { ...asked, late: true })}),
    middle as (select account_id, kind, percentile_cont(0.5) within group (order by engagement) as median from chosen
      group by account_id, kind),
    relative as (
      select extract(isodow from c.published_at at time zone w.timezone)::int as weekday,
        extract(hour from c.published_at at time zone w.timezone)::int as hour, c.engagement / nullif(m.median, 0) as value
      from chosen c join middle m using (account_id, kind) join workspace w on w.id = ${workspaceId}
      where c.engagement is not null
    ), cell as (
      select weekday, hour, count(*)::int as n,
        round(percentile_cont(0.5) within group (order by value)::numeric, 3)::float8 as median
      from relative group by weekday, hour
    )
    select (select json_build_object(${postsBasis}, 'count', count(engagement),
        'leftOut', count(*) filter (where engagement is null)) from chosen)::jsonb
      || jsonb_build_object('data', coalesce((select jsonb_agg(to_jsonb(cell) order by weekday, hour) from cell), '[]')) as json`)
  const { data, count, leftOut } = found!.json
  return { data, nextCursor: null, count, leftOut, basis: basisOf(found!.json) }
}
