import { addDays, addMonths, monthGrid, type WeekStart, weekOf } from '../../../time.ts'
import type { CalendarView } from './views.ts'

export interface CalendarPeriod {
  /** The shown dates, by week. */
  weeks: string[][]
  first: string
  last: string
  previous: string
  next: string
}

/** The period on the screen. */
export interface ShownPeriod extends CalendarPeriod {
  view: CalendarView
  /** The date in the address; undefined for today. */
  date: string | undefined
  today: string
}

/** A number of weeks from a date. The next period starts the same number of weeks later. */
function rolling(count: number, date: string, weekStart: WeekStart): CalendarPeriod {
  const weeks = Array.from({ length: count }, (_, index) => weekOf(addDays(date, 7 * index), weekStart))
  const first = weeks[0]?.[0] ?? date
  return {
    weeks,
    first,
    last: addDays(first, 7 * count - 1),
    previous: addDays(date, -7 * count),
    next: addDays(date, 7 * count),
  }
}

/** The period of a view around a date, with dates in the previous and the next one. */
export function periodOf(view: CalendarView, date: string, weekStart: WeekStart): CalendarPeriod {
  if (view === 'week') return rolling(1, date, weekStart)
  if (view === 'weeks') return rolling(4, date, weekStart)
  const month = `${date.slice(0, 7)}-01`
  const weeks = monthGrid(month, weekStart)
  const [previous, next] = [addMonths(month, -1), addMonths(month, 1)]
  return view === 'month'
    ? { weeks, first: weeks[0]?.[0] ?? month, last: weeks.at(-1)?.[6] ?? month, previous, next }
    : { weeks, first: month, last: addDays(next, -1), previous, next }
}
