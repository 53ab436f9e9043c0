import type { Platform } from '../../networks/api.ts'
import type { FiguresTold } from '../../networks/network.ts'
import type {
  AnalyticsBasis,
  AnalyticsOverview,
  AnalyticsTotals,
  FigureChange,
  AccountDayFigures,
  DayMetric,
} from './api.ts'

// How the days of accounts become key figures. Pure. An unknown value stays unknown: a day on which one account is missing is
// missing as a whole, and no sum counts it.

const DAY = 86_400_000

/** Half-open days. */
export interface Span {
  from: string
  to: string
}

const startOf = (day: string) => Date.parse(`${day}T00:00Z`)
export const dayAfter = (day: string, days: number) => new Date(startOf(day) + days * DAY).toISOString().slice(0, 10)
export const lengthOf = ({ from, to }: Span) => Math.round((startOf(to) - startOf(from)) / DAY)
export const daysOf = (span: Span) => Array.from({ length: lengthOf(span) }, (_, index) => dayAfter(span.from, index))

/** The period to compare with: as long, and so many whole weeks earlier that the two don't meet. */
export function previousOf(span: Span): Span {
  const back = -7 * Math.ceil(lengthOf(span) / 7)
  return { from: dayAfter(span.from, back), to: dayAfter(span.to, back) }
}

/** The part of its days that a period needs to be compared. */
const ENOUGH = 0.8
export const isEnough = (days: number, of: number) => of > 0 && days >= of * ENOUGH

export type DayValues = Readonly<Record<DayMetric, number | null>> & {
  reach7: number | null
  reach28: number | null
}

/** What is known of an account, by day. */
export interface AccountDays {
  accountId: string
  platform: Platform
  days: ReadonlyMap<string, DayValues>
}

const METRICS: readonly DayMetric[] = ['impressions', 'engagement', 'reach', 'followers']

/** The metrics that a network tells of an account. */
export const accountMetricsOf = ({ account }: FiguresTold) => METRICS.filter((metric) => account[metric] !== undefined)

/** The accounts that told a metric in the period. Others have no part in its figures, and their days are gaps. */
const tellersOf = (accounts: readonly AccountDays[], span: Span) => {
  const days = daysOf(span)
  return Object.fromEntries(
    METRICS.map((metric) => [
      metric,
      accounts.filter((account) => days.some((day) => (account.days.get(day)?.[metric] ?? null) !== null)),
    ]),
  ) as unknown as Readonly<Record<DayMetric, readonly AccountDays[]>>
}
type Tellers = ReturnType<typeof tellersOf>

/** The value of all accounts on a day; null when one of them lacks it, and for the reach of several. */
function valueOn(day: string, metric: DayMetric, tellers: Tellers): number | null {
  const accounts = tellers[metric]
  if (accounts.length === 0 || (metric === 'reach' && accounts.length > 1)) return null
  let sum = 0
  for (const { days } of accounts) {
    const value = days.get(day)?.[metric] ?? null
    if (value === null) return null
    sum += value
  }
  return sum
}

const figuresOn = (day: string, tellers: Tellers): AccountDayFigures => ({
  day,
  impressions: valueOn(day, 'impressions', tellers),
  engagement: valueOn(day, 'engagement', tellers),
  reach: valueOn(day, 'reach', tellers),
  followers: valueOn(day, 'followers', tellers),
})

/** The network's own windows of reach, by their days. */
const WINDOWS = { 7: ['week', 'reach7'], 28: ['four_weeks', 'reach28'] } as const

function reachOf(span: Span, series: readonly AccountDayFigures[], tellers: Tellers): AnalyticsTotals['reach'] {
  const known = series.flatMap(({ reach }) => reach ?? [])
  const [over, column] = WINDOWS[lengthOf(span) as 7 | 28] ?? []
  const [only, ...more] = tellers.reach
  if (over && only && more.length === 0) {
    const value = only.days.get(dayAfter(span.to, -1))?.[column] ?? null
    if (value !== null) return { value, over, days: lengthOf(span) }
  }
  const mean = known.length === 0 ? null : Math.round(total(known) / known.length)
  return { value: mean, over: 'day', days: known.length }
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

function sumOf(values: readonly (number | null)[]): AnalyticsTotals['impressions'] {
  const known = values.filter((value) => value !== null)
  const value = known.length === 0 ? null : total(known)
  return { value, perDay: value === null ? null : value / known.length, days: known.length }
}

function followersOf(span: Span, series: readonly AccountDayFigures[], tellers: Tellers): AnalyticsTotals['followers'] {
  const known = series.filter(({ followers }) => followers !== null)
  const last = known.at(-1)
  const eve = figuresOn(dayAfter(span.from, -1), tellers)
  const first = eve.followers === null ? known[0] : eve
  if (!last || !first || first === last)
    return { value: last?.followers ?? null, gained: null, since: null, days: known.length }
  return {
    value: last.followers,
    gained: last.followers! - first.followers!,
    since: first.day,
    days: known.length,
  }
}

/** Engagement by impressions, or by followers where no account tells impressions. */
function rateOf(
  series: readonly AccountDayFigures[],
  followers: number | null,
  tellers: Tellers,
): AnalyticsTotals['rate'] {
  const isByViews = tellers.impressions.length > 0 || followers === null
  const known = series.filter(
    ({ engagement, impressions }) => engagement !== null && (!isByViews || impressions !== null),
  )
  const of = isByViews ? total(known.map(({ impressions }) => impressions!)) : followers
  const isKnown = known.length > 0 && of !== null && of > 0
  return {
    value: isKnown ? total(known.map(({ engagement }) => engagement!)) / of : null,
    divisor: isByViews ? 'impressions' : 'followers',
    of: known.length > 0 ? of : null,
    days: known.length,
  }
}

/** An account that tells no views has no part in a rate by views. */
function ratedOf(tellers: Tellers): Tellers {
  if (tellers.impressions.length === 0) return tellers
  const both = tellers.engagement.filter((account) => tellers.impressions.includes(account))
  return { ...tellers, engagement: both, impressions: both }
}

function totalsOf(span: Span, tellers: Tellers): AnalyticsTotals {
  const series = daysOf(span).map((day) => figuresOn(day, tellers))
  const followers = followersOf(span, series, tellers)
  const rated = ratedOf(tellers)
  return {
    impressions: sumOf(series.map(({ impressions }) => impressions)),
    engagement: sumOf(series.map(({ engagement }) => engagement)),
    reach: reachOf(span, series, tellers),
    followers,
    rate: rateOf(
      daysOf(span).map((day) => figuresOn(day, rated)),
      followers.value,
      rated,
    ),
  }
}

const growth = (now: number | null, before: number | null) =>
  now === null || before === null || before === 0 ? null : now / before - 1

function changeOf(now: AnalyticsTotals, before: AnalyticsTotals, of: number): FigureChange {
  const isComparable = (metric: keyof AnalyticsTotals) =>
    isEnough(now[metric].days, of) && isEnough(before[metric].days, of)
  const perDay = (metric: 'impressions' | 'engagement') =>
    isComparable(metric) ? growth(now[metric].perDay, before[metric].perDay) : null
  const { value, gained } = now.followers
  return {
    impressions: perDay('impressions'),
    engagement: perDay('engagement'),
    reach:
      isComparable('reach') && now.reach.over === before.reach.over
        ? growth(now.reach.value, before.reach.value)
        : null,
    followers:
      isEnough(now.followers.days, of) && value !== null && gained !== null ? growth(value, value - gained) : null,
    rate:
      isComparable('rate') &&
      now.rate.divisor === before.rate.divisor &&
      now.rate.value !== null &&
      before.rate.value !== null
        ? now.rate.value - before.rate.value
        : null,
  }
}

/** The key figures of some accounts, and of the period before where that is asked for. */
export function compareTotals(
  accounts: readonly AccountDays[],
  span: Span,
  before: Span | null,
): Pick<AnalyticsOverview, 'totals' | 'previous' | 'change'> {
  const tellers = tellersOf(accounts, span)
  const totals = totalsOf(span, tellers)
  const previous = before && totalsOf(before, tellers)
  return { totals, previous, change: previous && changeOf(totals, previous, lengthOf(span)) }
}

/** The figures of some accounts by day, each beside its like in the period before. */
export function seriesOf(
  accounts: readonly AccountDays[],
  span: Span,
  before: Span | null,
): AnalyticsOverview['series'] {
  const tellers = tellersOf(accounts, span)
  const earlier = before ? daysOf(before) : []
  return daysOf(span).map((day, index) => {
    const like = earlier[index]
    return { ...figuresOn(day, tellers), previous: like === undefined ? null : figuresOn(like, tellers) }
  })
}

// ---- what is missing

type Gap = AnalyticsBasis['gaps'][number]

const endOf = ({ day, days }: Gap) => dayAfter(day, days)

/** Why days of an account are missing, as its readings noted it. */
export interface NotedGap {
  day: string
  metric: DayMetric
  reason: Gap['reason']
}

export interface GapAccount extends AccountDays {
  /** The metrics that its network tells of an account. */
  told: readonly DayMetric[]
  noted: readonly NotedGap[]
}

/**
 * The days that are missing of each account, those of one reason in a row as one, and the part that is there. A day is over before
 * it is `today`, and final when it is before `finalFrom`.
 */
export function gapsOf(
  accounts: readonly GapAccount[],
  span: Span,
  { today, finalFrom }: { today: string; finalFrom: string },
): Pick<AnalyticsBasis, 'coverage' | 'gaps'> {
  const days = daysOf({ from: span.from, to: span.to < today ? span.to : today })
  const gaps: Gap[] = []
  let wanted = 0
  let missing = 0
  for (const { accountId, told, noted, days: known } of accounts) {
    const reasons = new Map(noted.map(({ day, metric, reason }) => [`${day} ${metric}`, reason]))
    for (const metric of told) {
      for (const day of days) {
        wanted += 1
        const values = known.get(day)
        if ((values?.[metric] ?? null) !== null) continue
        missing += 1
        const reason =
          reasons.get(`${day} ${metric}`) ?? (day >= finalFrom ? 'not_yet' : values ? 'not_told' : 'not_read')
        const last = gaps.at(-1)
        const goesOn =
          last?.accountId === accountId && last.metric === metric && last.reason === reason && endOf(last) === day
        if (goesOn) last.days += 1
        else gaps.push({ accountId, day, days: 1, metric, reason })
      }
    }
  }
  return { coverage: wanted === 0 ? null : Math.round((1 - missing / wanted) * 1_000) / 1_000, gaps }
}

// ---- posts

/** The ages at which posts are compared, in hours. */
export const AGE_HOURS = { '1d': 24, '7d': 168, '30d': 720 } as const
/** A reading counts for an age until so many hours after it. */
export const READ_WITHIN = 24
/** With fewer other posts nothing is said of one. */
export const LEAST_POSTS = 5

/** The ages at which the curve of a post is compared with others, in hours. A story lives for a day. */
export const curveAges = (kind: string): readonly number[] =>
  kind === 'story' ? [12] : [1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 45, 60, 90].map((days) => days * 24)

/** A value by the median differs when it is half as much again, or a third less. */
const DIFFERS = Math.log(1.5)

/** Where a post differs from the median at one age, the largest difference first. */
export function reasonsOf<Metric extends string>(
  values: Readonly<Record<Metric, number | null>>,
  { ageHours, n, ...medians }: { ageHours: number; n: number } & Readonly<Record<Metric, number | null>>,
): { metric: Metric; ratio: number; ageHours: number; n: number }[] {
  return (Object.keys(medians) as Metric[])
    .flatMap((metric) => {
      const value = values[metric]
      const median = (medians as unknown as Record<Metric, number | null>)[metric]
      return value === null || median === null || median === 0 ? [] : [{ metric, ratio: value / median, ageHours, n }]
    })
    .filter(({ ratio }) => Math.abs(Math.log(Math.max(ratio, 0.01))) >= DIFFERS)
    .toSorted((a, b) => Math.abs(Math.log(Math.max(b.ratio, 0.01))) - Math.abs(Math.log(Math.max(a.ratio, 0.01))))
}
