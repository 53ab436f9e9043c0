import { useFormatter } from 'use-intl'
import { DAY, DAY_TIME } from '../../../time.ts'

const noon = (day: string) => new Date(`${day}T12:00Z`)
const A_DAY = 86_400_000

/** Formats the days of reports. They belong to the workspace, so they need no zone. */
export function useReportWords() {
  const format = useFormatter()
  return {
    /** Formats half-open days. */
    period: (from: string, to: string) =>
      format.dateTimeRange(noon(from), new Date(noon(to).getTime() - A_DAY), { ...DAY, timeZone: 'UTC' }),
    month: (day: string) => format.dateTime(noon(day), { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    day: (day: string) => format.dateTime(noon(day), { ...DAY, timeZone: 'UTC' }),
    /** Formats some days of a year. */
    days: (days: readonly string[]) =>
      format.list(days.map((day) => format.dateTime(noon(day), { day: 'numeric', month: 'short', timeZone: 'UTC' }))),
    time: (instant: string, timeZone: string) => format.dateTime(new Date(instant), { ...DAY_TIME, timeZone }),
    /** Formats the day of an instant. */
    dayOf: (instant: string, timeZone: string) => format.dateTime(new Date(instant), { ...DAY, timeZone }),
  }
}
