import type {
  AnalyticsBasis,
  AnalyticsOverview,
  AnalyticsTotals,
  AccountDayFigures,
  DayMetric,
  FirstReading,
} from '../../../../src/insights/analytics/api.ts'
import { addDays } from '../../../time.ts'
import type { ChartFigure } from './read-search.ts'

/** One day of a figure, with its counterpart in the previous period. */
export interface DayPoint {
  day: string
  value: number | null
  before: { day: string; value: number | null } | null
  mayChange: boolean
}

function valueOf(figures: AccountDayFigures, figure: ChartFigure): number | null {
  if (figure !== 'rate') return figures[figure]
  if (figures.rate !== undefined) return figures.rate
  const { engagement, impressions } = figures
  return engagement === null || impressions === null || impressions === 0 ? null : engagement / impressions
}

export function pointsOf({ series, basis }: AnalyticsOverview, figure: ChartFigure): DayPoint[] {
  const provisional = new Set(basis.provisionalDays)
  return series.map(({ previous, ...figures }) => {
    const value = valueOf(figures, figure)
    return {
      day: figures.day,
      value,
      before: previous && { day: previous.day, value: valueOf(previous, figure) },
      mayChange: value !== null && provisional.has(figures.day),
    }
  })
}

/** Groups consecutive days into spans with a first and a last day. */
export function spansOf(days: readonly string[]): { first: string; last: string }[] {
  const spans: { first: string; last: string }[] = []
  for (const day of days) {
    const before = spans.at(-1)
    if (before && addDays(before.last, 1) === day) before.last = day
    else spans.push({ first: day, last: day })
  }
  return spans
}

/** The metrics that each figure needs. */
const NEEDS: Record<ChartFigure, readonly DayMetric[]> = {
  impressions: ['impressions'],
  engagement: ['engagement'],
  rate: ['engagement', 'impressions'],
  followers: ['followers'],
}

/** The gaps in a figure, each with half-open days. Gaps of the same account and days count once. */
export function gapsIn(gaps: AnalyticsBasis['gaps'], figure: ChartFigure) {
  const seen = new Set<string>()
  return gaps.flatMap(({ day, days, ...gap }) => {
    const key = `${gap.accountId} ${day} ${days}`
    if (!NEEDS[figure].includes(gap.metric) || seen.has(key)) return []
    seen.add(key)
    return [{ ...gap, from: day, to: addDays(day, days) }]
  })
}

type Account = AnalyticsOverview['byAccount'][number]

/** The accounts that contribute to a figure. A rate includes only accounts whose rate has the same divisor. */
export const partsOf = ({ byAccount, totals }: Pick<AnalyticsOverview, 'byAccount' | 'totals'>, figure: ChartFigure) =>
  byAccount.filter(
    (account) =>
      account.totals[figure].days > 0 && (figure !== 'rate' || account.totals.rate.divisor === totals.rate.divisor),
  )

/** The accounts without a value in the period, if others have one. */
export function absentIn(overview: Pick<AnalyticsOverview, 'byAccount' | 'totals'>, figure: ChartFigure): Account[] {
  if (partsOf(overview, figure).length === 0) return []
  return overview.byAccount.filter(({ totals }) => totals[figure].days === 0)
}

/** The share of its days that a total needs to be told as a mean by day, as for a comparison. */
const ENOUGH = 0.8

/**
 * Whether a total is told well by its mean by day. It isn't if some accounts count for a few days only: a reader who
 * multiplies the mean by the days would get far more than the total.
 */
export function isEven({ value, perDay, days }: AnalyticsTotals['impressions'], of: number): boolean {
  if (value === null || perDay === null) return false
  return Math.abs(perDay * days - value) < 1 || value >= ENOUGH * perDay * of
}

/** The contributing accounts that start to count only after the first day of the period. */
export const latePartsOf = (
  overview: Pick<AnalyticsOverview, 'byAccount' | 'totals' | 'series'>,
  figure: ChartFigure,
): (Pick<Account, 'accountId'> & { from: string })[] => {
  const parts = partsOf(overview, figure)
  return parts.flatMap(({ accountId, countsFrom }) => {
    const from = countsFrom?.[figure] ?? null
    return parts.length < 2 || from === null || from === overview.series[0]?.day ? [] : [{ accountId, from }]
  })
}

/**
 * The gaps on a day. Without a value: those that prevent one. With a value: those of contributing accounts that it
 * leaves out.
 */
export function lacksOn(
  overview: Pick<AnalyticsOverview, 'byAccount' | 'totals' | 'basis'>,
  figure: ChartFigure,
  { day, value }: DayPoint,
) {
  const on = gapsIn(overview.basis.gaps, figure).filter(({ from, to }) => from <= day && day < to)
  const parts = partsOf(overview, figure)
  const partOf = (id: string) => parts.find(({ accountId }) => accountId === id)
  if (value !== null) return on.filter(({ accountId }) => partOf(accountId))
  const counting = on.filter(({ accountId }) => (partOf(accountId)?.countsFrom?.[figure] ?? day) <= day)
  return counting.some(({ accountId }) => partOf(accountId)) ? counting : on
}

/** How many days lack a figure that the network should have reported by now. */
export function missingDays(gaps: AnalyticsBasis['gaps']): number {
  const days = gaps.flatMap(({ day, days: count, reason }) =>
    reason === 'not_yet' ? [] : Array.from({ length: count }, (_, index) => addDays(day, index)),
  )
  return new Set(days).size
}

/**
 * What a chart shows: the daily value, that of the previous period if all accounts are comparable, and the best day.
 * `total` replaces the daily value if that doesn't tell the total.
 */
export function storyOf(
  { totals, previous, change, compared, days: length }: AnalyticsOverview,
  figure: Exclude<ChartFigure, 'followers'>,
  days: readonly DayPoint[],
): { now: number; before: number | null; total: number | null; best: string } | null {
  const perDay = (of: AnalyticsTotals) => (figure === 'rate' ? of.rate.value : of[figure].perDay)
  const now = perDay(totals)
  const known = days.flatMap(({ day, value }) => (value === null ? [] : [{ day, value }]))
  if (now === null || known.length === 0) return null
  const isSame = !compared || compared[figure].accounts === compared[figure].of
  const before = previous && isSame && typeof change?.[figure] === 'number' ? perDay(previous) : null
  return {
    now,
    before,
    total: figure === 'rate' || before !== null || isEven(totals[figure], length) ? null : totals[figure].value,
    best: known.reduce((a, b) => (b.value > a.value ? b : a)).day,
  }
}

/** How many days a first reading goes back. */
const FIRST_DAYS = 90
/** The most progress of an unfinished list of posts, however far back it goes. */
const NEARLY = 0.95

/** The progress of an account's first reading, from 0 to 1: half for its days, half for its posts. */
export function progressOf({ hasDays, hasPosts, postsSince }: FirstReading, now: Date): number {
  const back = postsSince === null ? 0 : (now.getTime() - Date.parse(postsSince)) / (FIRST_DAYS * 86_400_000)
  return ((hasDays ? 1 : 0) + (hasPosts ? 1 : Math.min(back, NEARLY))) / 2
}
