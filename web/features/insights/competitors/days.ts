import { addDays, dateIn } from '../../../time.ts'
import type { Days } from './queries.ts'
import type { CompetitorDays } from './search.ts'

/** The days of a period that ends today. */
export function daysOf(now: Date, period: CompetitorDays, timeZone: string): Days {
  const today = dateIn(now, timeZone)
  return { from: addDays(today, 1 - period), to: addDays(today, 1) }
}
