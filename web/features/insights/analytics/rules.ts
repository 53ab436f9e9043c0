import type {
  AnalyticsBasis,
  AnalyticsOverview,
  AnalyticsTotals,
  AccountDayFigures,
  DayMetric,
  FirstReading,
} from '../../../../src/insights/analytics/api.ts'
import { dayAfter, lengthOf } from '../../../../src/insights/analytics/rules.ts'
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

/** The days in a row without a value. */
export function spanIn(days: readonly DayPoint[]): { first: string; last: string }[] {
  const spans: { first: string; last: string }[] = []
  for (const [index, { day, value }] of days.entries()) {
    if (value !== null) continue
    const last = spans.at(-1)
    if (last && index > 0 && days[index - 1]?.value === null) last.last = day
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

/**
 * How many days of a sum are known of all its accounts, and which accounts lack most of the days that another has. Where they
 * share no day, each account lacks those of the others.
 */
export interface Shared {
  known: number
  accounts: number
  lacking: ReturnType<typeof gapsIn>
}

/** What is known of a sum of several accounts; null: there is only one, or they share every day. */
export function sharedDays(
  { days, totals, byAccount, basis }: Pick<AnalyticsOverview, 'days' | 'totals' | 'byAccount' | 'basis'>,
  figure: Exclude<Figure, 'followers'>,
): Shared | null {
  const tellers = byAccount.filter((account) => account.totals[figure].days > 0)
  const known = totals[figure].days
  if (tellers.length < 2 || known === days) return null
  const most = Math.max(...tellers.map((account) => account.totals[figure].days))
  const gaps = gapsIn(basis.gaps, figure)
  const longest = (of: string) =>
    gaps.filter(({ accountId }) => accountId === of).toSorted((a, b) => lengthOf(b) - lengthOf(a))[0]
  const lacking = tellers
    .filter((account) => known === 0 || account.totals[figure].days < most / 2)
    .flatMap(({ accountId }) => longest(accountId) ?? [])
  return { known, accounts: tellers.length, lacking }
}

/** How many days lack a figure that their network should have told by now. */
export function missingDays(gaps: AnalyticsBasis['gaps']): number {
  const days = gaps.flatMap(({ day, days: count, reason }) =>
    reason === 'not_yet' ? [] : Array.from({ length: count }, (_, index) => dayAfter(day, index)),
  )
  return new Set(days).size
}

/** What a chart says: its value a day, that of the period before where the two can be compared, and its best day. */
export function storyOf(
  { totals, previous, change }: AnalyticsOverview,
  figure: Exclude<Figure, 'followers'>,
  days: readonly DayPoint[],
): { now: number; before: number | null; best: string } | null {
  const perDay = (of: AnalyticsTotals) => (figure === 'rate' ? of.rate.value : of[figure].perDay)
  const now = perDay(totals)
  const known = days.flatMap(({ day, value }) => (value === null ? [] : [{ day, value }]))
  if (now === null || known.length === 0) return null
  return {
    now,
    before: previous && typeof change?.[figure] === 'number' ? perDay(previous) : null,
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
