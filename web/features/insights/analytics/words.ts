import { useFormatter, useTranslations } from 'use-intl'
import type { AnalyticsOverview, AnalyticsTotals } from '../../../../src/insights/analytics/api.ts'
import { NETWORKS } from '../../../labels.ts'

const noon = (day: string) => new Date(`${day}T12:00Z`)

/**
 * Returns the name of an account with its network. Isolated for bidi: in Arabic text, a Latin name would reorder the
 * numbers next to it.
 */
export const nameIn =
  ({ byAccount }: Pick<AnalyticsOverview, 'byAccount'>) =>
  (id: string) => {
    const account = byAccount.find(({ accountId }) => accountId === id)
    return account ? `\u2068${account.name} (${NETWORKS[account.platform].short})\u2069` : ''
  }

/** Formats the days and numbers of figures. A day belongs to the network or the workspace, so it needs no zone. */
export function useFigureWords() {
  const format = useFormatter()
  return {
    day: (day: string) => format.dateTime(noon(day), { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    weekday: (day: string) =>
      format.dateTime(noon(day), { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }),
    /** Formats half-open days. Omits the current year. */
    days: (from: string, to: string) => {
      const last = new Date(noon(to).getTime() - 86_400_000)
      const isThisYear = [noon(from), last].every((day) => day.getUTCFullYear() === new Date().getFullYear())
      return format.dateTimeRange(noon(from), last, {
        day: 'numeric',
        month: 'short',
        ...(!isThisYear && { year: 'numeric' }),
        timeZone: 'UTC',
      })
    },
    list: (names: readonly string[]) => format.list(names),
    whole: (value: number) => format.number(Math.round(value)),
    short: (value: number) =>
      value < 10_000 ? format.number(value) : format.number(value, { notation: 'compact', maximumFractionDigits: 1 }),
    share: (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 1 }),
    /** Isolated for bidi: in right-to-left text, the sign would move to the other side. */
    times: (value: number) => `\u2066${format.number(value, { maximumFractionDigits: 1 })}×\u2069`,
    /** Percentage points without a sign. */
    points: (value: number) => format.number(Math.abs(value) * 100, { maximumFractionDigits: 1 }),
  }
}

/** Says how many followers were gained since a day, or since the first day of each account if those differ. */
export function useGrowthWords() {
  const t = useTranslations('analytics')
  const { whole } = useFigureWords()
  return ({ gained, since }: AnalyticsTotals['followers'], dayOf: (day: string) => string): string | null => {
    if (gained === null) return null
    const key = gained < 0 ? 'lost' : gained > 0 ? 'gained' : 'unchanged'
    const value = whole(Math.abs(gained))
    return since === null ? t(`${key}Each`, { value }) : t(key, { value, day: dayOf(since) })
  }
}
