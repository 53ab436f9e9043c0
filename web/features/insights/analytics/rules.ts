import type {
  AnalyticsBasis,
  AnalyticsOverview,
  AnalyticsTotals,
  AccountDayFigures,
  DayMetric,
  FirstReading,
} from '../../../../src/insights/analytics/api.ts'
import { dayAfter } from '../../../../src/insights/analytics/rules.ts'
import type { Figure } from './read-search.ts'

/** One day of a figure, beside its like of the period before. */
export interface DayPoint {
  day: string
  value: number | null
  before: { day: string; value: number | null } | null
  mayChange: boolean
}

function valueOf(figures: AccountDayFigures, figure: Figure): number | null {
  if (figure !== 'rate') return figures[figure]
  const { engagement, impressions } = figures
  return engagement === null || impressions === null || impressions === 0 ? null : engagement / impressions
}

export function pointsOf({ series, basis }: AnalyticsOverview, figure: Figure): DayPoint[] {
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

/** Days in a row, each with its first and last. */
export function spansOf(days: readonly string[]): { first: string; last: string }[] {
  const spans: { first: string; last: string }[] = []
  for (const day of days) {
    const before = spans.at(-1)
    if (before && dayAfter(before.last, 1) === day) before.last = day
    else spans.push({ first: day, last: day })
  }
  return spans
}

/** The metrics that a figure needs. */
const NEEDS: Record<Figure, readonly DayMetric[]> = {
  impressions: ['impressions'],
  engagement: ['engagement'],
  rate: ['engagement', 'impressions'],
  followers: ['followers'],
}

/** The gaps that a figure has, each with half-open days; those of one account at one time once. */
export function gapsIn(gaps: AnalyticsBasis['gaps'], figure: Figure) {
  const seen = new Set<string>()
  return gaps.flatMap(({ day, days, ...gap }) => {
    const key = `${gap.accountId} ${day} ${days}`
    if (!NEEDS[figure].includes(gap.metric) || seen.has(key)) return []
    seen.add(key)
    return [{ ...gap, from: day, to: dayAfter(day, days) }]
  })
}

type Parts = Pick<AnalyticsOverview, 'byAccount' | 'basis' | 'series'>

/** The gaps of the accounts that have a part in a figure. */
export const gapsOfParts = ({ byAccount, basis }: Omit<Parts, 'series'>, figure: Figure) => {
  const parts = byAccount.filter(({ totals }) => totals[figure].days > 0).map(({ accountId }) => accountId)
  return gapsIn(basis.gaps, figure).filter(({ accountId }) => parts.includes(accountId))
}

/** The accounts of a sum that count only from a later day than the first of the period. */
export function lateAccounts(overview: Parts, figure: Figure): { accountId: string; from: string }[] {
  const first = overview.series[0]?.day
  const parts = overview.byAccount.filter(({ totals }) => totals[figure].days > 0)
  if (first === undefined || parts.length < 2) return []
  const gaps = gapsOfParts(overview, figure).toSorted((a, b) => a.from.localeCompare(b.from))
  return parts.flatMap(({ accountId }) => {
    const from = gaps
      .filter((gap) => gap.accountId === accountId)
      .reduce((day, gap) => (gap.from <= day && day < gap.to ? gap.to : day), first)
    return from === first ? [] : [{ accountId, from }]
  })
}

/** How many days lack a figure that their network should have told by now. */
export function missingDays(gaps: AnalyticsBasis['gaps']): number {
  const days = gaps.flatMap(({ day, days: count, reason }) =>
    reason === 'not_yet' ? [] : Array.from({ length: count }, (_, index) => dayAfter(day, index)),
  )
  return new Set(days).size
}

/** What a chart says: its value a day, that of the period before where all accounts can be compared, and its best day. */
export function storyOf(
  { totals, previous, change, compared }: AnalyticsOverview,
  figure: Exclude<Figure, 'followers'>,
  days: readonly DayPoint[],
): { now: number; before: number | null; best: string } | null {
  const perDay = (of: AnalyticsTotals) => (figure === 'rate' ? of.rate.value : of[figure].perDay)
  const now = perDay(totals)
  const known = days.flatMap(({ day, value }) => (value === null ? [] : [{ day, value }]))
  if (now === null || known.length === 0) return null
  const isSame = !compared || compared[figure].accounts === compared[figure].of
  return {
    now,
    before: previous && isSame && typeof change?.[figure] === 'number' ? perDay(previous) : null,
    best: known.reduce((a, b) => (b.value > a.value ? b : a)).day,
  }
}

/** The days that a first reading goes back. */
const FIRST_DAYS = 90
/** A list that is not at its end is not whole, however far back it goes. */
const NEARLY = 0.95

/** How much of its first reading an account has, from 0 to 1: half are its days, half its posts. */
export function progressOf({ hasDays, hasPosts, postsSince }: FirstReading, now: Date): number {
  const back = postsSince === null ? 0 : (now.getTime() - Date.parse(postsSince)) / (FIRST_DAYS * 86_400_000)
  return ((hasDays ? 1 : 0) + (hasPosts ? 1 : Math.min(back, NEARLY))) / 2
}
