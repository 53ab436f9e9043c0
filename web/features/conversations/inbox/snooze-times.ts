import { DAYS } from '../../../../src/publishing/scheduler/rules.ts'
import { addDays, dateIn, instantOf, workdays } from '../../../time.ts'

/** The suggested snooze times, in the workspace's zone. The week begins with the first workday of the locale. */
export function snoozeTimes(zone: string, locale: string, now = new Date()) {
  const today = dateIn(now, zone)
  const weekday = (new Date(`${today}T00:00Z`).getUTCDay() + 6) % 7
  const [first = 'monday'] = workdays(locale)
  const week = addDays(today, (DAYS.indexOf(first) - weekday + 7) % 7 || 7)
  return {
    later: new Date(now.getTime() + 3 * 3_600_000),
    tomorrow: instantOf(`${addDays(today, 1)}T09:00`, zone),
    week: instantOf(`${week}T09:00`, zone),
  }
}
