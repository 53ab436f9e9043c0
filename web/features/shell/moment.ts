import { useFormatter, useLocale } from 'use-intl'
import { DAY_TIME, timeFormat, zoneName } from '../../time.ts'
import { usePlace } from './workspace.tsx'

const STYLES = {
  any: DAY_TIME,
  today: { timeStyle: 'short' },
  exact: { timeStyle: 'medium' },
} as const

/**
 * Formats a time in the workspace's zone, with the zone's name. Without a style, it has its date, and its year unless it
 * is the current one.
 */
export function useMoment() {
  const format = useFormatter()
  const locale = useLocale()
  const timeZone = usePlace().workspace.timezone
  return (instant: string, style?: keyof typeof STYLES) => {
    const at = new Date(instant)
    return `${format.dateTime(at, style ? { ...STYLES[style], timeZone } : timeFormat(at, timeZone))} ${zoneName(timeZone, at, locale)}`
  }
}
