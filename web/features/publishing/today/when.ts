import { useFormatter } from 'use-intl'
import { dateIn, timeFormat } from '../../../time.ts'
import { usePlace } from '../../shell/workspace.tsx'

/** Formats a time in the workspace's zone: only the time for today, with the date for other days. */
export function useWhen() {
  const format = useFormatter()
  const timeZone = usePlace().workspace.timezone
  return (instant: string) => {
    const at = new Date(instant)
    const isToday = dateIn(at, timeZone) === dateIn(new Date(), timeZone)
    return format.dateTime(at, isToday ? { timeStyle: 'short', timeZone } : timeFormat(at, timeZone))
  }
}
