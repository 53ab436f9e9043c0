import { AppError } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { checkPeriod } from '../analytics/period.ts'
import { type CompetitorComparison, SHOWN_POSTS, type Side } from './api.ts'
import { LAST_AGE, MOST_FOUND } from '../metrics/rules.ts'
import { type CountedInteractions, coverageOf, type Followed, knownFromOf, measure, type SeenSpan } from './rules.ts'

/** Posts count from this age on, when most people who will ever see them have done so. */
const STABLE_AFTER = '3 days'
/** Snapshots from this many days after the period show how its last posts did. */
const LATER_DAYS = 7

interface Asked {
  accountId: string
  from: string
  to: string
}

interface Row extends Pick<Side, 'name' | 'username' | 'readAt'> {
  id: string | null
  /** Oldest first. */
  days: Followed[]
  posts: CountedInteractions[]
  seen: SeenSpan[]
  nextAt: string | null
  start: string
  end: string
}

/**
 * Compares an account of ours with the accounts that it looks up, by what the network shows publicly. Throws
 * `not_found`, `validation_failed`.
 */
export async function compareCompetitors(scope: Scope, asked: Asked): Promise<CompetitorComparison> {
  checkPeriod(asked)
  const { accountId, from, to } = asked
  const { workspaceId } = scope
  const [[ours], theirs] = await scope.read(
    query<Row>`with period as (select ${from}::date::timestamp at time zone timezone as start,
        least(${to}::date::timestamp at time zone timezone, ${scope.now()}) as "end" from workspace where id = ${workspaceId})
      select null as id, a.name, a.username, iso(s.ok_at) as read_at, iso(s.next_at) as next_at,
        -- The first search of posts goes back to an age, or to a number of posts.
        case when s.found_at is null then '[]' else json_build_array(json_build_object('to', iso(s.found_at), 'from',
          (select iso(case when count(*) < ${MOST_FOUND} then a.created_at - make_interval(secs => ${LAST_AGE / 1000}) else min(p.published_at) end)
            from measured_post p where p.workspace_id = a.workspace_id and p.account_id = a.id and p.published_at < a.created_at)))
          end as seen,
        iso(period.start) as start, iso(period.end) as "end",
        (select coalesce(json_agg(json_build_object('followers', m.followers) order by m.day), '[]') from account_metric m
          where m.workspace_id = a.workspace_id and m.account_id = a.id and m.day >= ${from} and m.day < ${to}) as days,
        (select coalesce(json_agg(json_build_object('likes', p.likes, 'comments', p.comments)), '[]') from measured_post p
          where p.workspace_id = a.workspace_id and p.account_id = a.id and p.kind <> 'story'
            and p.published_at >= period.start and p.published_at < period.end
            and p.read_at >= p.published_at + ${STABLE_AFTER}::interval) as posts
      from period, social_account a left join account_sync s on s.workspace_id = a.workspace_id and s.account_id = a.id
      where a.workspace_id = ${workspaceId} and a.id = ${accountId}`,
    query<Row>`with period as (select ${from}::date::timestamp at time zone timezone as start,
        least(${to}::date::timestamp at time zone timezone, ${scope.now()}) as "end" from workspace where id = ${workspaceId}),
      snapshot as (select s.* from competitor c join competitor_snapshot s on s.workspace_id = c.workspace_id and s.competitor_id = c.id
        where c.workspace_id = ${workspaceId} and c.account_id = ${accountId} and s.day >= ${from} and s.day < ${to}::date + ${LATER_DAYS}::int),
      -- Each post as it was seen last.
      post as (select distinct on (s.competitor_id, t.told ->> 'externalId') s.competitor_id, s.read_at, t.told,
          (t.told ->> 'publishedAt')::timestamptz as published_at
        from snapshot s, jsonb_array_elements(s.posts) t(told) order by s.competitor_id, t.told ->> 'externalId', s.day desc)
      select c.id, c.name, c.username, iso(c.next_at) as next_at, iso(period.start) as start, iso(period.end) as "end",
        (select iso(max(s.read_at)) from snapshot s where s.competitor_id = c.id) as read_at,
        (select coalesce(json_agg(json_build_object('to', iso(s.read_at), 'from',
            case when jsonb_array_length(s.posts) >= ${SHOWN_POSTS} then
              (select iso(min((t.told ->> 'publishedAt')::timestamptz)) from jsonb_array_elements(s.posts) t(told)) end)), '[]')
          from snapshot s where s.competitor_id = c.id) as seen,
        (select coalesce(json_agg(json_build_object('followers', s.followers) order by s.day), '[]') from snapshot s
          where s.competitor_id = c.id and s.day < ${to}) as days,
        (select coalesce(json_agg(p.told), '[]') from post p where p.competitor_id = c.id and p.published_at >= period.start
          and p.published_at < period.end and p.read_at >= p.published_at + ${STABLE_AFTER}::interval) as posts
      from period, competitor c where c.workspace_id = ${workspaceId} and c.account_id = ${accountId}
      order by lower(c.name), c.id`,
  )
  if (!ours) throw new AppError('not_found')
  const rows = [ours, ...theirs]
  const first = <Key extends 'readAt' | 'nextAt'>(key: Key) =>
    rows.flatMap((row) => row[key] ?? []).toSorted()[0] ?? null
  return {
    ours: sideOf(ours),
    theirs: theirs.map(sideOf),
    basis: {
      kind: 'posts',
      coverage: Math.min(...rows.map((row) => coverageOf(row, scope.now()))),
      gaps: [],
      provisionalDays: [],
      readAt: first('readAt'),
      nextAt: first('nextAt'),
    },
  }
}

const sideOf = (row: Row): Side => ({
  competitorId: row.id,
  name: row.name,
  username: row.username,
  ...measure(row.days, row.posts),
  knownFrom: knownFromOf(row),
  readAt: row.readAt,
})
