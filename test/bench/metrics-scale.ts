import type pg from 'pg'
import type {
  AnalyticsOverview,
  HourCell,
  PostAnalysis,
  RankedPost,
  TagGroup,
} from '../../src/insights/analytics/api.ts'
import type { Person } from '../world.ts'
import { percentile } from './fleet.ts'

// Measures the cost of the analytics screens as the number of readings grows a hundredfold.

/** The measured screens, each by its p99 in milliseconds. */
export const FIGURE_SCREENS = ['overview', 'posts', 'post', 'tags', 'hours'] as const
export type FigureCost = Record<(typeof FIGURE_SCREENS)[number], number>

/** The readings of a workspace, from a year with two posts a day on three accounts. */
export const READINGS_OF_ONE = 10_000
const POSTS = 705
const YEAR = 366
/** The days after publishing on which a post is read. */
const READ_DAYS = [0, 1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 45, 60, 90]
/** The most workspaces of one person, which the measurement visits in turn. */
const LOOKED_AT = 100
const TRIES = 150

const DAY = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

/**
 * Fills a database with workspaces, each with a year of posts and their readings. The readings of all workspaces are
 * stored day by day, as in production, so those of one workspace are far apart. Returns the number of readings.
 */
export async function growMetrics(direct: pg.Client, person: Person, workspaces: number): Promise<number> {
  // Rows of the benchmark need no key checks.
  await direct.query('set session_replication_role = replica')
  await direct.query(
    `with w as (
       insert into workspace (id, name, timezone) select gen_random_uuid(), 'metrics scale', 'UTC'
       from generate_series(1, $1::int) returning id
     ), s as (
       insert into subscription (workspace_id, plan_id, status) select id, 'business', 'active' from w
     ), m as (
       insert into member (workspace_id, user_id, role) select id, $2, 'OWNER' from w limit $3
     ), a as (
       insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
       select id, gen_random_uuid(), n, n || id, n || id, n, 'CONNECTED', now()
       from w, unnest(array['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO']) n returning workspace_id, id
     )
     insert into account_sync (workspace_id, account_id, days_at, found_at, lease_until) select workspace_id, id, now(), now(), 'infinity' from a`,
    [workspaces, person.session.user.id, LOOKED_AT],
  )
  await direct.query(
    `insert into account_metric (workspace_id, account_id, day, ends_at, followers, reach, reach_7, reach_28, impressions,
       engagement, source, read_at)
     select s.workspace_id, s.account_id, d, d + interval '1 day', 1000 + n, 50, 300, 900, 100 + n % 37, 10, 'network', d + interval '33 hours'
     from generate_series(1, $1::int) n cross join lateral (select current_date - n as d) day cross join account_sync s
     where s.lease_until = 'infinity' order by d, s.workspace_id`,
    [YEAR],
  )
  await direct.query(
    `insert into measured_post (workspace_id, id, account_id, external_id, kind, caption, published_at, read_at, reach, impressions,
       likes, comments, shares, saves, topic, format, tone)
     select a.workspace_id, g.id, a.id, g.id::text, 'post', 'Post ' || n || ': autumn in a cup, every morning from seven. #coffee #day' || n % 30,
       now() - n * interval '${YEAR} days' / $1, now(), 500 + n % 91, 900 + n % 91, n % 83, n % 7, n % 5, n % 3,
       (array['offer', 'recipe', 'team', 'event', 'news'])[1 + n % 5], (array['photo', 'video'])[1 + n % 2],
       (array['warm', 'plain', 'funny'])[1 + n % 3]
     from generate_series(1, $1::int) n cross join (
       select workspace_id, id, row_number() over (partition by workspace_id order by platform) as nth from social_account
       where network_user = platform || workspace_id) a cross join lateral (select gen_random_uuid() as id where a.nth = 1 + n % 3) g`,
    [POSTS],
  )
  const { rows: months } = await direct.query<{ name: string; first: string; next: string }>(
    `select 'post_metric_' || to_char(m, 'YYYY_MM') as name, m::date::text as first, (m + interval '1 month')::date::text as next,
       post_metric_month(m::date)
     from generate_series(date_trunc('month', now() - interval '${YEAR} days'), now(), interval '1 month') m`,
  )
  for (const { name, first, next } of months)
    await direct.query(
      `insert into ${name} (workspace_id, post_id, day, read_at, age_hours, reach, impressions, likes, comments, shares, saves)
       select p.workspace_id, p.id, p.at::date, p.at, p.age * 24 + 0.2, p.reach * p.part, p.impressions * p.part, p.likes * p.part,
         p.comments, p.shares, p.saves
       from (select p.*, age, p.published_at + make_interval(days => age, mins => 12) as at, (age + 5) / 95.0 as part
         from measured_post p, unnest($1::int[]) age where p.external_id = p.id::text
         and p.published_at > $2::date - interval '92 days' and p.published_at < $3::date) p
       where p.at >= $2::date and p.at < least($3::date, now()) order by p.at::date, p.workspace_id, p.id`,
      [READ_DAYS, first, next],
    )
  await direct.query('set session_replication_role = origin')
  await direct.query('vacuum analyze')
  const { rows } = await direct.query<{ count: number }>('select count(*)::int as count from post_metric')
  return rows[0]!.count
}

/** A database of figures, and a person who belongs to some of its workspaces. */
export interface FiguresSide {
  person: Person
  direct: pg.Client
}

/**
 * Returns the p99 of each screen on both sides. The requests alternate, so that other load on the machine affects both.
 */
export async function measureFigures(sides: readonly FiguresSide[]): Promise<FigureCost[]> {
  const places = await Promise.all(
    sides.map(async ({ direct }) => {
      const { rows } = await direct.query<{ workspace: string; posts: string[] }>(
        `select w.id as workspace, (select array_agg(p.id) from measured_post p where p.workspace_id = w.id
           and p.published_at > now() - interval '90 days') as posts
         from workspace w join member m on m.workspace_id = w.id where w.name = 'metrics scale' order by w.id`,
      )
      return rows
    }),
  )
  const [quarter, year] = [
    { from: inDays(-90), to: inDays(1) },
    { from: inDays(-365), to: inDays(1) },
  ]
  const ask = (path: string, query: Record<string, string>) => `/analytics/${path}?${new URLSearchParams(query)}`
  const ordered: Record<string, string>[] = [{ sort: 'views' }, { sort: 'publishedAt' }, { sort: 'rate', at: '7d' }]
  const by = ['topic', 'format', 'tone', 'hashtag']
  const screens: Record<keyof FigureCost, (n: number, posts: string[]) => string> = {
    overview: () => ask('overview', { ...quarter, compare: 'previous' }),
    posts: (n) => ask('posts', { ...quarter, ...ordered[n % ordered.length], limit: '25' }),
    post: (n, posts) => `/analytics/posts/${posts[n % posts.length]}`,
    tags: (n) => ask('tags', { ...year, by: by[n % by.length]!, ...(n % 8 < 4 && { at: '7d' }) }),
    hours: () => ask('hours', { ...year, at: '7d' }),
  }
  const costs = sides.map(() => ({}) as FigureCost)
  for (const screen of FIGURE_SCREENS) {
    const times: number[][] = sides.map(() => [])
    for (let n = -20; n < TRIES; n += 1) {
      for (const [side, { person }] of sides.entries()) {
        const { workspace, posts } = places[side]![(n + 20) % places[side]!.length]!
        const at = screens[screen](n + 20, posts)
        const started = performance.now()
        const answer = await person.must<Answer>('GET', at, undefined, { 'x-workspace-id': workspace })
        if (n >= 0) times[side]!.push(performance.now() - started)
        if (n === 0) refuseEmpty(screen, answer)
      }
    }
    for (const [side, each] of times.entries()) costs[side]![screen] = percentile(each, 0.99)
  }
  return costs
}

type Answer = Partial<AnalyticsOverview> & Partial<PostAnalysis> & { data?: (RankedPost | TagGroup | HourCell)[] }

/** Throws if a screen has no figures, because an empty screen costs nothing and shows nothing. */
function refuseEmpty(screen: keyof FigureCost, { totals, kindMedian, data }: Answer): void {
  const isFull =
    screen === 'overview'
      ? (totals?.impressions.days ?? 0) > 80
      : screen === 'post'
        ? (kindMedian?.length ?? 0) > 0
        : (data?.length ?? 0) > 1
  if (!isFull) throw new Error(`The screen ${screen} has no figures`)
}
