import type { Platform } from '../../networks/api.ts'
import type { FiguresTold } from '../../networks/network.ts'
import { addDays } from '../../publishing/scheduler/rules.ts'
import type {
  AnalyticsBasis,
  AnalyticsOverview,
  AnalyticsTotals,
  ComparedAccounts,
  FigureChange,
  AccountDayFigures,
  DayMetric,
} from './api.ts'

// Turns the days of accounts into key figures. Pure. An unknown value stays unknown: it is a gap or left out, and never
// 0.

const DAY = 86_400_000

/** A range of days whose end is exclusive. */
export interface Span {
  from: string
  to: string
}

const startOf = (day: string) => Date.parse(`${day}T00:00Z`)
export const lengthOf = ({ from, to }: Span) => Math.round((startOf(to) - startOf(from)) / DAY)
export const daysOf = (span: Span) => Array.from({ length: lengthOf(span) }, (_, index) => addDays(span.from, index))

/**
 * Returns the period to compare with. It has the same length, and is as many whole weeks earlier as needed to avoid an
 * overlap.
 */
export function previousOf(span: Span): Span {
  const back = -7 * Math.ceil(lengthOf(span) / 7)
  return { from: addDays(span.from, back), to: addDays(span.to, back) }
}

/** The share of its days that a period needs to be compared. */
const ENOUGH = 0.8
export const isEnough = (days: number, of: number) => of > 0 && days >= of * ENOUGH

export type DayValues = Readonly<Record<DayMetric, number | null>> & {
  reach7: number | null
  reach28: number | null
}

/** The known days of an account. */
export interface AccountDays {
  accountId: string
  platform: Platform
  /** A disconnected account has no further days. */
  isConnected: boolean
  /** The days of a period, and of some time before it. */
  days: ReadonlyMap<string, DayValues>
}

const METRICS: readonly DayMetric[] = ['impressions', 'engagement', 'reach', 'followers']

/** Returns the metrics that a network reports for an account. */
export const accountMetricsOf = ({ account }: FiguresTold) => METRICS.filter((metric) => account[metric] !== undefined)

/** What is summed: a metric, or engagement and impressions on the days that have both. */
const PARTS = [...METRICS, 'both'] as const
type Part = (typeof PARTS)[number]

const has = (values: DayValues, part: Part) =>
  part === 'both' ? values.engagement !== null && values.impressions !== null : values[part] !== null

/** An account that reports a part in a period. */
interface Teller extends AccountDays {
  /** One entry for each day of the period, null if the day lacks the part. */
  values: readonly (DayValues | null)[]
  known: readonly DayValues[]
  /** The days on which it counts, as indexes into the period. `to` is exclusive. */
  from: number
  to: number
}

/** What accounts report in a period. */
export interface ToldPeriod {
  span: Span
  days: readonly string[]
  tellers: Readonly<Record<Part, readonly Teller[]>>
}

/**
 * Reads what accounts report in a period. Each account counts from the first day that it reports to the end of the
 * period, or to its last day if it is disconnected. A missing day in between is a gap in the sum. A missing day before
 * is not, or a new account would leave the others without figures for weeks.
 */
export function readPeriod(accounts: readonly AccountDays[], span: Span): ToldPeriod {
  const days = daysOf(span)
  const tellersOf = (part: Part) =>
    accounts.flatMap((account): Teller[] => {
      const values = days.map((day) => {
        const told = account.days.get(day)
        return told && has(told, part) ? told : null
      })
      const first = values.findIndex((told) => told !== null)
      if (first === -1) return []
      const isOld = [...account.days].some(([day, told]) => day < span.from && has(told, part))
      const to = account.isConnected ? days.length : values.findLastIndex((told) => told !== null) + 1
      return [{ ...account, values, known: values.filter((told) => told !== null), from: isOld ? 0 : first, to }]
    })
  return { span, days, tellers: byPart(tellersOf) }
}

const byPart = (tellersOf: (part: Part) => readonly Teller[]) =>
  Object.fromEntries(PARTS.map((part) => [part, tellersOf(part)])) as unknown as ToldPeriod['tellers']

/** Restricts a period to some of its accounts. */
export const among = (told: ToldPeriod, isOf: (account: AccountDays, part: Part) => boolean): ToldPeriod => ({
  ...told,
  tellers: byPart((part) => told.tellers[part].filter((teller) => isOf(teller, part))),
})

/** Sums a day over the accounts that count on it. Returns null if one of them lacks it, or if there are none. */
function sumOn(index: number, tellers: readonly Teller[], value: (values: DayValues) => number): number | null {
  let sum: number | null = null
  for (const { values, from, to } of tellers) {
    if (index < from || index >= to) continue
    const told = values[index]
    if (!told) return null
    sum = (sum ?? 0) + value(told)
  }
  return sum
}

/** Counts the days on which every account that counts has a value. */
const wholeDays = ({ days, tellers }: ToldPeriod, part: Part) =>
  days.filter((_, index) => sumOn(index, tellers[part], () => 0) !== null).length

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

function sumOf(told: ToldPeriod, metric: 'impressions' | 'engagement'): AnalyticsTotals['impressions'] {
  const sums = told.tellers[metric].map(({ known }) => ({
    sum: total(known.map((day) => day[metric]!)),
    of: known.length,
  }))
  if (sums.length === 0) return { value: null, perDay: null, days: 0 }
  return {
    value: total(sums.map(({ sum }) => sum)),
    perDay: total(sums.map(({ sum, of }) => sum / of)),
    days: wholeDays(told, metric),
  }
}

/** The network's own windows of reach, by their length in days. */
const WINDOWS = { 7: ['week', 'reach7'], 28: ['four_weeks', 'reach28'] } as const

function reachOf({ span, tellers }: ToldPeriod): AnalyticsTotals['reach'] {
  const [only, ...more] = tellers.reach
  if (!only || more.length > 0) return { value: null, over: 'day', days: 0 }
  const [over, column] = WINDOWS[lengthOf(span) as 7 | 28] ?? []
  const window = column ? (only.days.get(addDays(span.to, -1))?.[column] ?? null) : null
  if (over && window !== null) return { value: window, over, days: lengthOf(span) }
  const mean = total(only.known.map(({ reach }) => reach!)) / only.known.length
  return { value: Math.round(mean), over: 'day', days: only.known.length }
}

/**
 * Sums the followers of each account on its last day, and their growth since its first: the eve of the period, or a
 * later day. Followers of a disconnected account belong to the past, unless no other account has any.
 */
function followersOf(told: ToldPeriod): AnalyticsTotals['followers'] {
  const { days, span, tellers } = told
  const present = tellers.followers.filter(({ isConnected }) => isConnected)
  const courses = (present.length > 0 ? present : tellers.followers).map((teller) => {
    const eve = teller.days.get(addDays(span.from, -1))?.followers ?? null
    const first = teller.known[0]!.followers!
    return {
      last: teller.known.at(-1)!.followers!,
      gained: eve === null && teller.known.length === 1 ? null : teller.known.at(-1)!.followers! - (eve ?? first),
      since: eve === null ? days[teller.values.findIndex((day) => day !== null)]! : addDays(span.from, -1),
    }
  })
  if (courses.length === 0) return { value: null, gained: null, since: null, days: 0 }
  const grown = courses.filter(({ gained }) => gained !== null)
  const since = new Set(grown.map((course) => course.since))
  return {
    value: total(courses.map(({ last }) => last)),
    gained: grown.length === 0 ? null : total(grown.map(({ gained }) => gained!)),
    since: since.size === 1 ? [...since][0]! : null,
    days: wholeDays(told, 'followers'),
  }
}

/** What a rate is computed from: engagement by impressions if an account reports both, otherwise by followers. */
const ratedBy = ({ tellers }: ToldPeriod): 'both' | 'engagement' =>
  tellers.both.length > 0 || tellers.followers.length === 0 ? 'both' : 'engagement'

function rateOf(told: ToldPeriod): AnalyticsTotals['rate'] {
  const part = ratedBy(told)
  const known = told.tellers[part].flatMap((teller) => teller.known)
  const ids = told.tellers[part].map(({ accountId }) => accountId)
  const of =
    known.length === 0
      ? null
      : part === 'both'
        ? total(known.map(({ impressions }) => impressions!))
        : followersOf(among(told, ({ accountId }) => ids.includes(accountId))).value
  return {
    value: of !== null && of > 0 ? total(known.map(({ engagement }) => engagement!)) / of : null,
    divisor: part === 'both' ? 'impressions' : 'followers',
    of,
    days: wholeDays(told, part),
  }
}

/**
 * Returns a rate that compares with that of another period. Engagement by followers grows with the number of known days,
 * so each day that is not known counts like the others.
 */
function comparableRate(told: ToldPeriod): Pick<AnalyticsTotals['rate'], 'value' | 'divisor'> {
  const rate = rateOf(told)
  if (rate.divisor === 'impressions' || rate.value === null || rate.of === null) return rate
  const { perDay } = sumOf(told, 'engagement')
  return { ...rate, value: perDay === null ? null : (perDay * told.days.length) / rate.of }
}

const totalsOf = (told: ToldPeriod): AnalyticsTotals => ({
  impressions: sumOf(told, 'impressions'),
  engagement: sumOf(told, 'engagement'),
  reach: reachOf(told),
  followers: followersOf(told),
  rate: rateOf(told),
})

// ---- comparison with the period before

type FigureName = keyof AnalyticsTotals
const FIGURES: readonly FigureName[] = ['impressions', 'engagement', 'reach', 'followers', 'rate']

const growth = (now: number | null, before: number | null) =>
  now === null || before === null || before === 0 ? null : now / before - 1

/** How each figure's change is computed, from the same accounts on both sides. */
const CHANGES: Readonly<Record<FigureName, (now: ToldPeriod, before: ToldPeriod) => number | null>> = {
  impressions: (now, before) => growth(sumOf(now, 'impressions').perDay, sumOf(before, 'impressions').perDay),
  engagement: (now, before) => growth(sumOf(now, 'engagement').perDay, sumOf(before, 'engagement').perDay),
  reach(now, before) {
    const [here, there] = [reachOf(now), reachOf(before)]
    return here.over === there.over ? growth(here.value, there.value) : null
  },
  followers(now) {
    const { value, gained } = followersOf(now)
    return value === null || gained === null ? null : growth(value, value - gained)
  },
  rate(now, before) {
    const [here, there] = [comparableRate(now), comparableRate(before)]
    return here.divisor === there.divisor && here.value !== null && there.value !== null
      ? here.value - there.value
      : null
  },
}

/** Returns the accounts that contribute to a figure. */
const partsOf = (told: ToldPeriod, figure: FigureName) => told.tellers[figure === 'rate' ? ratedBy(told) : figure]

/**
 * Returns the change of a figure, from the accounts with enough days on both sides. Followers need only the current
 * period.
 */
function changeOf(figure: FigureName, now: ToldPeriod, before: ToldPeriod) {
  const parts = partsOf(now, figure)
  const earlier = partsOf(before, figure)
  const isWhole = (teller: Teller | undefined, { days }: ToldPeriod) => isEnough(teller?.known.length ?? 0, days.length)
  const compared = parts.filter((teller) => {
    const like = earlier.find(({ accountId }) => accountId === teller.accountId)
    return isWhole(teller, now) && (figure === 'followers' || isWhole(like, before))
  })
  const of = parts.length
  if (compared.length === 0 || (figure === 'reach' && of > 1)) return { figure, change: null, accounts: 0, of }
  const isCompared = ({ accountId }: AccountDays) => compared.some((teller) => teller.accountId === accountId)
  const change = CHANGES[figure](among(now, isCompared), among(before, isCompared))
  return { figure, change, accounts: compared.length, of }
}

/** Leaves out accounts that report a part only in the period before, which would make it larger than this one. */
const likeNow = (before: ToldPeriod, { tellers }: ToldPeriod) =>
  among(before, ({ accountId }, part) => tellers[part].some((teller) => teller.accountId === accountId))

/** Returns the key figures of a period, and of the period before on request. */
export function compareTotals(
  now: ToldPeriod,
  before: ToldPeriod | null,
): Pick<AnalyticsOverview, 'totals' | 'previous' | 'change' | 'compared'> {
  const totals = totalsOf(now)
  if (!before) return { totals, previous: null, change: null, compared: null }
  const changes = FIGURES.map((figure) => changeOf(figure, now, before))
  return {
    totals,
    previous: totalsOf(likeNow(before, now)),
    change: Object.fromEntries(changes.map(({ figure, change }) => [figure, change])) as FigureChange,
    compared: Object.fromEntries(
      changes.map(({ figure, accounts, of }) => [figure, { accounts, of }]),
    ) as ComparedAccounts,
  }
}

/** Returns the day from which an account counts in each figure, or null for a figure that it does not report. */
export const countsFrom = (told: ToldPeriod, id: string) =>
  Object.fromEntries(
    FIGURES.map((figure) => {
      const teller = partsOf(told, figure).find(({ accountId }) => accountId === id)
      return [figure, teller ? told.days[teller.from]! : null]
    }),
  ) as Record<FigureName, string | null>

/** Returns the figures by day, each with the corresponding day of the period before. */
export function seriesOf(now: ToldPeriod, before: ToldPeriod | null): AnalyticsOverview['series'] {
  const earlier = before ? likeNow(before, now) : null
  return now.days.map((_, index) => ({
    ...figuresOn(index, now),
    previous: earlier && index < earlier.days.length ? figuresOn(index, earlier) : null,
  }))
}

function figuresOn(index: number, { days, tellers }: ToldPeriod): AccountDayFigures {
  const sum = (metric: DayMetric, part: Part = metric) => sumOn(index, tellers[part], (values) => values[metric]!)
  const [engagement, impressions] = [sum('engagement', 'both'), sum('impressions', 'both')]
  return {
    day: days[index]!,
    impressions: sum('impressions'),
    engagement: sum('engagement'),
    reach: tellers.reach.length > 1 ? null : sum('reach'),
    followers: sum('followers'),
    rate: engagement === null || !impressions ? null : engagement / impressions,
  }
}

// ---- gaps

type Gap = AnalyticsBasis['gaps'][number]

const endOf = ({ day, days }: Gap) => addDays(day, days)

/** Why a day of an account is missing, as its readings recorded it. */
export interface NotedGap {
  day: string
  metric: DayMetric
  reason: Gap['reason']
}

export interface GapAccount extends Pick<AccountDays, 'accountId' | 'days'> {
  /** The metrics that its network reports for an account. */
  told: readonly DayMetric[]
  noted: readonly NotedGap[]
  /** No day after its last known one is expected. */
  isDisconnected: boolean
}

/**
 * Returns the missing days of each account, with consecutive days of the same reason as one gap, and the share that is
 * known. A day is over if it is before `today`, and final if it is before `finalFrom`.
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
  for (const { accountId, told, noted, days: known, isDisconnected } of accounts) {
    const reasons = new Map(noted.map(({ day, metric, reason }) => [`${day} ${metric}`, reason]))
    const expected = isDisconnected ? days.slice(0, days.findLastIndex((day) => known.has(day)) + 1) : days
    for (const metric of told) {
      for (const day of expected) {
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
/** For how many hours after an age a reading counts for it. */
export const READ_WITHIN = 24
/** The minimum number of other posts needed to say anything about one. */
export const LEAST_POSTS = 5

/** Returns the ages in hours at which the curve of a post is compared with others. A story lives for a day. */
export const curveAges = (kind: string): readonly number[] =>
  kind === 'story' ? [12] : [1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 45, 60, 90].map((days) => days * 24)

/** Returns how far a ratio is from 1, alike in both directions. */
const distance = (ratio: number) => Math.abs(Math.log(Math.max(ratio, 0.01)))

/** A value differs if it is at least 1.5 times the median, or at most two thirds of it. */
const DIFFERS = Math.log(1.5)

/** Returns where a post differs from the median at one age, the largest difference first. */
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
    .filter(({ ratio }) => distance(ratio) >= DIFFERS)
    .toSorted((a, b) => distance(b.ratio) - distance(a.ratio))
}
