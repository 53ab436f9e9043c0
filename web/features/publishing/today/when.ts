import { useFormatter } from 'use-intl'
import { dateIn } from '../../../time.ts'
import { usePlace } from '../../shell/workspace.tsx'

/** A time in the zone of the workspace: of today only the clock, of other days with the day. */
export function useWhen() {
  const format = useFormatter()
  const timeZone = usePlace().workspace.timezone
  return (instant: string) => {
    const at = new Date(instant)
    const isToday = dateIn(at, timeZone) === dateIn(new Date(), timeZone)
    return format.dateTime(at, {
      ...(!isToday && { weekday: 'short', day: 'numeric', month: 'short' }),
      hour: 'numeric',
      minute: '2-digit',
      timeZone,
    })
  }
}
