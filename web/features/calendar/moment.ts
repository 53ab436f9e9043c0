import { useFormatter, useLocale } from 'use-intl'
import { zoneName } from '../../time.ts'
import { usePlace } from '../shell/workspace.tsx'

/** Says a time in the zone of the workspace. */
export function useMoment() {
  const format = useFormatter()
  const locale = useLocale()
  const zone = usePlace().workspace.timezone
  return (instant: string) => {
    const at = new Date(instant)
    const time = format.dateTime(at, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
      timeZone: zone,
    })
    return `${time} ${zoneName(zone, at, locale)}`
  }
}
