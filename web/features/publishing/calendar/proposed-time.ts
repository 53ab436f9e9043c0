import { wallTime } from '../../../time.ts'

const MORNING = '09:00'

/** Proposes the wall time of a post on a date: 9 AM, or the next full hour of today if 9 AM has passed. */
export function proposedTime(date: string, zone: string, now = new Date()): string {
  const [today, clock = ''] = wallTime(now, zone).split('T')
  if (date !== today || clock < MORNING) return `${date}T${MORNING}`
  const hour = Number(clock.slice(0, 2)) + 1
  return hour < 24 ? `${date}T${hour}:00` : `${date}T23:59`
}
