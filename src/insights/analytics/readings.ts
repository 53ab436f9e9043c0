import type { RawBuilder } from 'kysely'
import { sql } from '../../core/platform/db.ts'
import type { PostSort } from './api.ts'
import { EARLY_HOURS } from '../metrics/rules.ts'
import { READ_WITHIN } from './rules.ts'

// SQL fragments about the readings of posts.

/** How often a post or reading was shown, or how often its video was played if the network reports only that. */
export const viewsOf = (of: string) => sql.raw(`coalesce(${of}.impressions, ${of}.video_views)`)

/** The figure of a post or reading by which `sort` orders. */
export function figureOf(sort: PostSort, of: string): RawBuilder<unknown> {
  return sort === 'views' || sort === 'publishedAt' || sort === 'rate' ? viewsOf(of) : sql.raw(`${of}.${sort}`)
}

/**
 * Selects the first reading `m` of a post at or after an age, at most 24 hours late, or however late. The days limit
 * the query to the months that can contain it: a day of a workspace differs from the day in UTC by at most one.
 */
export function readingAt(
  post: { workspaceId: string; id: RawBuilder<unknown>; publishedAt: RawBuilder<unknown> },
  hours: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
  { late = false } = {},
): RawBuilder<unknown> {
  const day = sql`((${post.publishedAt} + make_interval(hours => ${hours})) at time zone 'UTC')::date`
  return sql`(select ${columns} from post_metric m where m.workspace_id = ${post.workspaceId} and m.post_id = ${post.id}
    and m.day >= ${day} - 1 and m.age_hours >= ${hours} - ${sql.lit(EARLY_HOURS)} and ${
      late ? sql`true` : sql`m.day <= ${day} + 2 and m.age_hours <= ${hours} + ${sql.lit(READ_WITHIN)}`
    } order by m.day limit 1)`
}
