import type { Platform } from '../../networks/api.ts'
import type { FiguresTold } from '../../networks/network.ts'
import type {
  AnalyticsBasis,
  AnalyticsOverview,
  AnalyticsTotals,
  ComparedAccounts,
  FigureChange,
  AccountDayFigures,
  DayMetric,
} from './api.ts'

// How the days of accounts become key figures. Pure. An unknown value stays unknown: it is a gap or left out, and never 0.

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
  /** An account that is not connected has no further days. */
  isConnected: boolean
  days: ReadonlyMap<string, DayValues>
}

const METRICS: readonly DayMetric[] = ['impressions', 'engagement', 'reach', 'followers']

/** The metrics that a network tells of an account. */
export const accountMetricsOf = ({ account }: FiguresTold) => METRICS.filter((metric) => account[metric] !== undefined)

/** Whether a day has what a figure needs. */
type Has = (values: DayValues) => boolean
const tells =
  (metric: DayMetric): Has =>
  (values) =>
    values[metric] !== null
const tellsBoth: Has = ({ engagement, impressions }) => engagement !== null && impressions !== null

/** An account with the days of a period on which it tells a figure, and the days on which it counts. */
interface Teller extends AccountDays {
  known: readonly (DayValues & { day: string })[]
  counts: Span
}

/**
 * The accounts that tell a figure in the period. Each counts from the first day that it tells, until the period ends or the last
 * day of an account that is not connected. A day that is missing in between is a gap of the sum. A day before is not: a new account
 * would otherwise leave the others without figures for weeks.
 */
function tellersOf(accounts: readonly AccountDays[], span: Span, has: Has): Teller[] {
  const days = daysOf(span)
  return accounts.flatMap((account) => {
    const known = days.flatMap((day) => {
      const values = account.days.get(day)
      return values && has(values) ? [{ ...values, day }] : []
    })
    const [first, last] = [known[0], known.at(-1)]
    if (!first || !last) return []
    return [
      { ...account, known, counts: { from: first.day, to: account.isConnected ? span.to : dayAfter(last.day, 1) } },
    ]
  })
}

/** Adds up a day over the accounts that count on it; null when one of them lacks it, and without any. */
function sumOn(day: string, tellers: readonly Teller[], has: Has, value: (values: DayValues) => number): number | null {
  const counting = tellers.filter(({ counts }) => counts.from <= day && day < counts.to)
  const values = counting.flatMap(({ days }) => days.get(day) ?? []).filter(has)
  return values.length === 0 || values.length < counting.length ? null : total(values.map(value))
}

/** The days that no account lacks while it counts. */
const wholeDays = (span: Span, tellers: readonly Teller[], has: Has) =>
  daysOf(span).filter((day) => sumOn(day, tellers, has, () => 0) !== null).length

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

function sumOf(accounts: readonly AccountDays[], span: Span, metric: DayMetric): AnalyticsTotals['impressions'] {
  const tellers = tellersOf(accounts, span, tells(metric))
  const sums = tellers.map(({ known }) => ({ sum: total(known.map((day) => day[metric]!)), days: known.length }))
  if (sums.length === 0) return { value: null, perDay: null, days: 0 }
  return {
    value: total(sums.map(({ sum }) => sum)),
    perDay: total(sums.map(({ sum, days }) => sum / days)),
    days: wholeDays(span, tellers, tells(metric)),
  }
}

/** The network's own windows of reach, by their days. */
const WINDOWS = { 7: ['week', 'reach7'], 28: ['four_weeks', 'reach28'] } as const

function reachOf(accounts: readonly AccountDays[], span: Span): AnalyticsTotals['reach'] {
  const [only, ...more] = tellersOf(accounts, span, tells('reach'))
  if (!only || more.length > 0) return { value: null, over: 'day', days: 0 }
  const [over, column] = WINDOWS[lengthOf(span) as 7 | 28] ?? []
  const window = column ? (only.days.get(dayAfter(span.to, -1))?.[column] ?? null) : null
  if (over && window !== null) return { value: window, over, days: lengthOf(span) }
  const mean = total(only.known.map(({ reach }) => reach!)) / only.known.length
  return { value: Math.round(mean), over: 'day', days: only.known.length }
}

/** The followers of each account on its last day, and how many came since its first: the eve of the period, or a later day. */
function followersOf(accounts: readonly AccountDays[], span: Span): AnalyticsTotals['followers'] {
  const has = tells('followers')
  const tellers = tellersOf(accounts, span, has)
  if (tellers.length === 0) return { value: null, gained: null, since: null, days: 0 }
  const eve = { from: dayAfter(span.from, -1), to: span.from }
  const courses = tellers.map((teller) => {
    const known = [...tellersOf([teller], eve, has).flatMap((told) => told.known), ...teller.known]
    return { first: known[0]!, last: known.at(-1)! }
  })
  const grown = courses.filter(({ first, last }) => first !== last)
  return {
    value: total(courses.map(({ last }) => last.followers!)),
    gained: grown.length === 0 ? null : total(grown.map(({ first, last }) => last.followers! - first.followers!)),
    since: grown.map(({ first }) => first.day).toSorted()[0] ?? null,
    days: wholeDays(span, tellers, has),
  }
}

/** Engagement by impressions of the accounts that tell both, or by followers where none does. */
function rateOf(accounts: readonly AccountDays[], span: Span): AnalyticsTotals['rate'] {
  const followers = followersOf(accounts, span).value
  const isByViews = followers === null || tellersOf(accounts, span, tellsBoth).length > 0
  const has = isByViews ? tellsBoth : tells('engagement')
  const tellers = tellersOf(accounts, span, has)
  const known = tellers.flatMap((teller) => teller.known)
  const of = known.length === 0 ? null : isByViews ? total(known.map(({ impressions }) => impressions!)) : followers
  return {
    value: of !== null && of > 0 ? total(known.map(({ engagement }) => engagement!)) / of : null,
    divisor: isByViews ? 'impressions' : 'followers',
    of,
    days: wholeDays(span, tellers, has),
  }
}

const totalsOf = (accounts: readonly AccountDays[], span: Span): AnalyticsTotals => ({
  impressions: sumOf(accounts, span, 'impressions'),
  engagement: sumOf(accounts, span, 'engagement'),
  reach: reachOf(accounts, span),
  followers: followersOf(accounts, span),
  rate: rateOf(accounts, span),
})

// ---- against the period before

const growth = (now: number | null, before: number | null) =>
  now === null || before === null || before === 0 ? null : now / before - 1

/** What a change is taken from, for the same accounts on both sides. */
const CHANGES: Readonly<
  Record<keyof AnalyticsTotals, (now: AnalyticsTotals, before: AnalyticsTotals) => number | null>
> = {
  impressions: (now, before) => growth(now.impressions.perDay, before.impressions.perDay),
  engagement: (now, before) => growth(now.engagement.perDay, before.engagement.perDay),
  reach: ({ reach: now }, { reach: before }) => (now.over === before.over ? growth(now.value, before.value) : null),
  followers: ({ followers: { value, gained } }) =>
    value === null || gained === null ? null : growth(value, value - gained),
  rate: ({ rate: now }, { rate: before }) =>
    now.divisor === before.divisor && now.value !== null && before.value !== null ? now.value - before.value : null,
}

/** The change of each figure, by the accounts that have enough days on both sides. Followers begin with the period itself. */
function changeOf(accounts: readonly AccountDays[], span: Span, before: Span) {
  const known = accounts.map((account) => ({
    account,
    now: totalsOf([account], span),
    before: totalsOf([account], before),
  }))
  const figures = (Object.keys(CHANGES) as (keyof AnalyticsTotals)[]).map((figure) => {
    const telling = known.filter(({ now }) => now[figure].days > 0)
    const compared = telling
      .filter(
        (each) =>
          isEnough(each.now[figure].days, lengthOf(span)) &&
          (figure === 'followers' || isEnough(each.before[figure].days, lengthOf(before))),
      )
      .map(({ account }) => account)
    const isNone = compared.length === 0 || (figure === 'reach' && telling.length > 1)
    const change = isNone ? null : CHANGES[figure](totalsOf(compared, span), totalsOf(compared, before))
    return { figure, change, compared: { accounts: isNone ? 0 : compared.length, of: telling.length } }
  })
  return {
    change: Object.fromEntries(figures.map(({ figure, change }) => [figure, change])) as FigureChange,
    compared: Object.fromEntries(figures.map(({ figure, compared }) => [figure, compared])) as ComparedAccounts,
  }
}

/** The key figures of some accounts, and of the period before where that is asked for. */
export const compareTotals = (
  accounts: readonly AccountDays[],
  span: Span,
  before: Span | null,
): Pick<AnalyticsOverview, 'totals' | 'previous' | 'change' | 'compared'> => ({
  totals: totalsOf(accounts, span),
  previous: before && totalsOf(accounts, before),
  ...(before ? changeOf(accounts, span, before) : { change: null, compared: null }),
})

/** The figures of some accounts by day, each beside its like in the period before. */
export function seriesOf(
  accounts: readonly AccountDays[],
  span: Span,
  before: Span | null,
): AnalyticsOverview['series'] {
  const figures = figuresByDay(accounts, span)
  const earlier = before ? figuresByDay(accounts, before) : []
  return figures.map((day, index) => ({ ...day, previous: earlier[index] ?? null }))
}

function figuresByDay(accounts: readonly AccountDays[], span: Span): AccountDayFigures[] {
  const tellers = METRICS.map((metric) => ({ metric, of: tellersOf(accounts, span, tells(metric)) }))
  return daysOf(span).map((day) => ({
    day,
    ...(Object.fromEntries(
      tellers.map(({ metric, of }) => [
        metric,
        metric === 'reach' && of.length > 1 ? null : sumOn(day, of, tells(metric), (values) => values[metric]!),
      ]),
    ) as Record<DayMetric, number | null>),
  }))
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

export interface GapAccount extends Pick<AccountDays, 'accountId' | 'days'> {
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
