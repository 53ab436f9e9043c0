import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { AccountMetric } from '../../networks/api.ts'
import {
  type AccountAsk,
  type AccountFigures,
  type AccountRead,
  type Network,
  NetworkError,
} from '../../networks/network.ts'
import { addDays, dateIn, instantOf } from '../../publishing/scheduler/rules.ts'
import { TOKEN_CALL, withToken } from '../../channels/accounts-refresh.ts'
import type { Services } from '../../services.ts'
import { type Ending, endingOf, type Searched } from './find.ts'
import { type AccountGap, DAYS_AGAIN, FIRST_DAYS, gapsAfter, leftOf, repairable, spareOf } from './rules.ts'

// Reads the daily figures of an account: once those of the last 90 days, then each day the last three again and what is
// missing from earlier ones. Days are the network's own. If a network has none, days are the workspace's, and their
// figures are the differences between our readings.

type AccountPorts = Pick<Services, 'crypto' | 'networks' | 'budget'>

export interface Daily extends Searched {
  daysAt: Date | null
  gaps: AccountGap[]
  timezone: string
}

/** A day of an account, with the metrics that the network reported. */
interface Row {
  day: string
  endsAt: Date
  values: Partial<Record<AccountMetric, number | null>>
}

/** A post that is published later in the evening counts from the next day on, because it has no earlier reading. */
const FIRST_READ = '30 minutes'

interface Reading {
  /** Names of metrics that the network no longer accepts. */
  gone: string[]
  ending: Ending
}

/** How many missing days one reading requests again if each of them takes a call. */
const SINGLES_AGAIN = 5

/** Reads the days of an account that are due, and stores them. */
export async function readDays(
  scope: Scope,
  ports: AccountPorts,
  network: Network,
  account: Daily,
  { gone, isGranted }: { gone: ReadonlySet<string>; isGranted: boolean },
): Promise<Reading> {
  const figures = network.metrics.account
  const days = figures.days ?? workspaceDays(account.timezone)
  const to = days.at(scope.now())
  const hourly = ports.budget.limit(network.platform)
  const how = { to, gone, isGranted, spare: spareOf(hourly) }
  const plan = withinCalls(figures, await planDays(scope, figures, account, to), how, hourly)
  const ask = { ...plan, ...how }
  const who = { app: network.app, userKey: account.networkUser }
  const reserved = await ports.budget.reserve(
    who,
    figures.cost(ask) + ask.spare + TOKEN_CALL,
    'metric_read',
    network.platform,
  )
  if ('until' in reserved) return { gone: [], ending: { at: reserved.until } }
  let readAt = scope.now()
  let found: AccountRead
  let ending: Ending = { ok: true }
  const holder = { accountId: account.id, accessToken: account.accessToken }
  try {
    found = await withToken(scope, ports, holder, async (accessToken) => {
      readAt = scope.now()
      const place = { account: { externalId: account.externalId, accessToken }, reservation: reserved.reservation }
      const read = await figures.read(place, ask)
      // Nothing was read, so this starts again with a renewed token.
      if (read.error?.kind === 'AUTH' && read.days.length === 0) throw read.error
      return read
    })
    if (found.error) ending = { error: found.error }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    found = { days: [], followers: null, gone: [], isRefused: false, error }
    ending = await endingOf(scope, holder, error)
  } finally {
    await reserved.release()
  }
  const told = new Map(found.days.map(({ day, values }) => [day, values]))
  const today = days.at(readAt)
  if (found.followers !== null) told.set(today, { ...told.get(today), followers: found.followers })
  const rows = [...told].map(([day, values]): Row => ({ day, endsAt: days.startOf(addDays(day, 1)), values }))
  await storeDays(scope, { accountId: account.id, rows, source: figures.days ? 'network' : 'difference', readAt })
  const gaps = await gapsNow(scope, figures, account, { ...plan, to, found })
  await scope.write(query`update account_sync set gaps = ${JSON.stringify(gaps)}, days_at = ${found.error ? account.daysAt : readAt}
    where workspace_id = ${scope.workspaceId} and account_id = ${account.id}`)
  return { gone: found.gone, ending }
}

interface Plan {
  from: string
  singleDays: string[]
}

/** Plans what to request: the last days, and what is missing from earlier ones. */
async function planDays(scope: Scope, figures: AccountFigures, account: Daily, to: string): Promise<Plan> {
  const again = addDays(to, -DAYS_AGAIN)
  const lastDays = daysFrom(again, to)
  if (account.daysAt === null) return { from: addDays(to, -FIRST_DAYS), singleDays: lastDays }
  const missing = repairable(await missingBefore(scope, account, figures.metrics, { to, end: again }), account.gaps)
  const isSingle = ({ metric }: { metric: AccountMetric }) => figures.singles.includes(metric)
  const [first = again] = missing.filter((each) => !isSingle(each)).map(({ day }) => day)
  const singleDays = [...new Set(missing.filter(isSingle).map(({ day }) => day))].slice(-SINGLES_AGAIN)
  return { from: first, singleDays: [...singleDays, ...lastDays] }
}

/** Drops the earliest days of a plan if the hourly limit is too low for all of them. */
function withinCalls(
  figures: AccountFigures,
  plan: Plan,
  how: Omit<AccountAsk, keyof Plan>,
  hourly: number | null,
): Plan {
  const again = addDays(how.to, -DAYS_AGAIN)
  let { from, singleDays } = plan
  const isTooMuch = () =>
    hourly !== null && figures.cost({ from, singleDays, ...how }) + how.spare + TOKEN_CALL > leftOf(hourly)
  while (isTooMuch() && from < again) from = addDays(from, 1)
  while (isTooMuch() && singleDays.length > 0) singleDays = singleDays.slice(1)
  return { from, singleDays }
}

/** Returns the gaps of an account after a reading of these days. */
async function gapsNow(
  scope: Scope,
  figures: AccountFigures,
  account: Daily,
  { from, singleDays, to, found }: Plan & { to: string; found: AccountRead },
): Promise<AccountGap[]> {
  const metrics = [...figures.metrics, ...figures.present]
  // The network may still report the last days.
  const end = addDays(to, 1 - DAYS_AGAIN)
  return gapsAfter(account.gaps, await missingBefore(scope, account, metrics, { to, end }), {
    since: addDays(to, -FIRST_DAYS),
    wasAsked: ({ day, metric }) =>
      figures.singles.includes(metric) ? singleDays.includes(day) : figures.metrics.includes(metric) && day >= from,
    reason: found.error || found.isRefused ? 'network_error' : 'not_told',
    counts: found.error === null,
  })
}

/** Returns the metrics that are missing from the last 90 days before `end`, oldest first. */
async function missingBefore(
  scope: Scope,
  { id }: Pick<Daily, 'id'>,
  metrics: readonly AccountMetric[],
  { to, end }: { to: string; end: string },
): Promise<{ day: string; metric: AccountMetric }[]> {
  const since = addDays(to, -FIRST_DAYS)
  const [rows] = await scope.read(query<{ day: string } & Record<AccountMetric, string | null>>`
    select day::text, followers, reach, reach_7 as reach7, reach_28 as reach28, impressions, engagement from account_metric
    where workspace_id = ${scope.workspaceId} and account_id = ${id} and day >= ${since}::date and day < ${end}::date`)
  const known = new Map(rows.map((row) => [row.day, row]))
  return daysFrom(since, end).flatMap((day) =>
    metrics.filter((metric) => (known.get(day)?.[metric] ?? null) === null).map((metric) => ({ day, metric })),
  )
}

function daysFrom(from: string, to: string): string[] {
  const days: string[] = []
  for (let day = from; day < to; day = addDays(day, 1)) days.push(day)
  return days
}

const workspaceDays = (timezone: string) => ({
  at: (time: Date) => dateIn(time, timezone),
  startOf: (day: string) => instantOf(`${day}T00:00`, timezone),
})

interface Stored {
  accountId: string
  rows: readonly Row[]
  source: 'network' | 'difference'
  readAt: Date
}

/**
 * Stores days of an account. A reading older than the stored one changes nothing, and a value that is not reported
 * keeps its last value.
 */
async function storeDays(scope: Scope, { accountId, rows: days, source, readAt }: Stored): Promise<void> {
  if (days.length === 0) return
  const column = (metric: AccountMetric) => days.map(({ values }) => values[metric] ?? null)
  await scope.write(query`
    insert into account_metric as m (workspace_id, account_id, day, ends_at, followers, reach, reach_7, reach_28, impressions,
      engagement, source, read_at)
    select ${scope.workspaceId}::uuid, ${accountId}::uuid, r.*, ${source}, ${readAt}::timestamptz
    from unnest(${days.map(({ day }) => day)}::date[], ${days.map(({ endsAt }) => endsAt)}::timestamptz[],
      ${column('followers')}::bigint[], ${column('reach')}::bigint[], ${column('reach7')}::bigint[],
      ${column('reach28')}::bigint[], ${column('impressions')}::bigint[], ${column('engagement')}::bigint[]) r
    on conflict (workspace_id, account_id, day) do update set
      followers = coalesce(excluded.followers, m.followers), reach = coalesce(excluded.reach, m.reach),
      reach_7 = coalesce(excluded.reach_7, m.reach_7), reach_28 = coalesce(excluded.reach_28, m.reach_28),
      impressions = coalesce(excluded.impressions, m.impressions),
      engagement = coalesce(excluded.engagement, m.engagement), read_at = excluded.read_at
      where excluded.read_at > m.read_at`)
}

/**
 * Stores the daily figures of an account whose network has none: the totals of its posts minus those of the day before.
 * A day on which a post was not read stays unknown.
 */
export async function storeDifferences(scope: Scope, account: Pick<Daily, 'id' | 'timezone'>): Promise<void> {
  const days = workspaceDays(account.timezone)
  const today = days.at(scope.now())
  const [told] = await scope.read(query<{ day: string; impressions: number | null; engagement: number | null }>`
    select d.day::text,
      case when bool_and(m.video_views is not null and (b.video_views is not null or p.first = d.day))
        then sum(m.video_views - coalesce(b.video_views, 0))::float8 end as impressions,
      case when bool_and(m.engagement is not null and (b.engagement is not null or p.first = d.day))
        then sum(m.engagement - coalesce(b.engagement, 0))::float8 end as engagement
    from (select generate_series(${today}::date - ${DAYS_AGAIN}::int, ${today}::date - 1, interval '1 day')::date as day) d
    join (select id, gone_at, missing_at, ((published_at + ${FIRST_READ}::interval) at time zone ${account.timezone})::date as first
        from measured_post where workspace_id = ${scope.workspaceId} and account_id = ${account.id}) p
      on p.first between d.day - ${FIRST_DAYS - 1}::int and d.day
        and (p.gone_at is null or (p.missing_at at time zone ${account.timezone})::date > d.day)
    left join post_metric m on m.workspace_id = ${scope.workspaceId} and m.post_id = p.id and m.day = d.day
    left join post_metric b on b.workspace_id = ${scope.workspaceId} and b.post_id = p.id and b.day = d.day - 1
    group by d.day`)
  const rows = told.map(({ day, ...values }) => ({ day, endsAt: days.startOf(addDays(day, 1)), values }))
  await storeDays(scope, { accountId: account.id, rows, source: 'difference', readAt: scope.now() })
}
