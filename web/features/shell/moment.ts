import { useFormatter, useLocale } from 'use-intl'
import { DAY_TIME, zoneName } from '../../time.ts'
import { usePlace } from './workspace.tsx'

const STYLES = {
  near: { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  any: DAY_TIME,
  today: { timeStyle: 'short' },
  exact: { timeStyle: 'medium' },
} as const

/** Formats a time in the workspace's zone, with the zone's name. `near` omits the year; `any` includes it. */
export function useMoment() {
  const format = useFormatter()
  const locale = useLocale()
  const timeZone = usePlace().workspace.timezone
  return (instant: string, style: keyof typeof STYLES = 'near') => {
    const at = new Date(instant)
    return `${format.dateTime(at, { ...STYLES[style], timeZone })} ${zoneName(timeZone, at, locale)}`
  }
}
