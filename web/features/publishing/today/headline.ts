import { useFormatter, useTranslations } from 'use-intl'
import { addDays, dateIn, wallTime } from '../../../time.ts'
import { usePlace } from '../../shell/workspace.tsx'

/** The day in two sentences: what needs attention, and when the next post is published. */
export function useHeadline() {
  const t = useTranslations('today.headline')
  const format = useFormatter()
  const { timezone, publishing } = usePlace().workspace
  const whenOf = (instant: string, today: string) => {
    const at = new Date(instant)
    const day = dateIn(at, timezone)
    const time = format.dateTime(at, { timeStyle: 'short', timeZone: timezone })
    if (day <= today) return wallTime(at, timezone).endsWith('T12:00') ? t('noon') : t('at', { time })
    if (day === addDays(today, 1)) return t('tomorrow', { time })
    return t('onDay', { day: format.dateTime(at, { weekday: 'long', timeZone: timezone }), time })
  }
  return (count: number, next: string | undefined, today: string) => {
    const waits = t('needs', { count })
    if (publishing.paused) return `${waits} ${t('paused')}`
    return `${waits} ${next ? t('next', { when: whenOf(next, today) }) : t('nothing')}`
  }
}
