import { addDays, addMonths, monthGrid, type WeekStart, weekOf } from '../../../time.ts'
import type { View } from './views.ts'

export interface Period {
  /** The dates that are shown, in weeks. */
  weeks: string[][]
  first: string
  last: string
  previous: string
  next: string
}

/** What a view shows around a date, and where the next one begins. */
export function periodOf(view: View, date: string, weekStart: WeekStart): Period {
  if (view === 'week') {
    const week = weekOf(date, weekStart)
    const first = week[0] ?? date
    return { weeks: [week], first, last: addDays(first, 6), previous: addDays(date, -7), next: addDays(date, 7) }
  }
  const month = `${date.slice(0, 7)}-01`
  const weeks = monthGrid(month, weekStart)
  const [previous, next] = [addMonths(month, -1), addMonths(month, 1)]
  return view === 'month'
    ? { weeks, first: weeks[0]?.[0] ?? month, last: weeks.at(-1)?.[6] ?? month, previous, next }
    : { weeks, first: month, last: addDays(next, -1), previous, next }
}
