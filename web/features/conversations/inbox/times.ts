import { useFormatter, useTranslations } from 'use-intl'
import { ANSWER_WITHIN } from '../../../../src/conversations/threads/rules.ts'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { dateIn, yearOf } from '../../../time.ts'
import { useMoment } from '../../shell/moment.ts'
import { useNow } from '../../../now.ts'
import { usePlace } from '../../shell/workspace.tsx'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Formats a duration in its largest unit: 6 min, 3 h, 2 d. */
export function useSpan() {
  const format = useFormatter()
  return (ms: number) => {
    const [unit, size] =
      ms < HOUR_MS
        ? (['minute', MINUTE_MS] as const)
        : ms < 2 * DAY_MS
          ? (['hour', HOUR_MS] as const)
          : (['day', DAY_MS] as const)
    return format.number(Math.max(unit === 'minute' ? 1 : 0, Math.floor(ms / size)), {
      style: 'unit',
      unit,
      unitDisplay: 'short',
    })
  }
}

/** How long a customer has waited, and whether that exceeds what the urgency allows. */
export function useWait() {
  const now = useNow().getTime()
  return ({ unansweredAt, urgency }: Pick<Thread, 'unansweredAt' | 'urgency'>) => {
    if (unansweredAt === null) return null
    const waited = now - Date.parse(unansweredAt)
    return { waited, late: urgency !== null && waited > ANSWER_WITHIN[urgency] }
  }
}

/** Formats a past moment in the workspace's zone: today as a time, otherwise as a date. */
export function useShortTime() {
  const format = useFormatter()
  const timeZone = usePlace().workspace.timezone
  return (iso: string) => {
    const at = new Date(iso)
    if (dateIn(at, timeZone) === dateIn(new Date(), timeZone))
      return format.dateTime(at, { timeStyle: 'short', timeZone })
    return format.dateTime(at, { day: 'numeric', month: 'short', ...yearOf(at, timeZone), timeZone })
  }
}

/** How long the network still accepts a direct message, as a duration and a moment; null in comment threads. */
export function useWindow() {
  const t = useTranslations('inbox.window')
  const span = useSpan()
  const moment = useMoment()
  const now = useNow().getTime()
  return ({ kind, windowUntil, humanUntil }: Pick<Thread, 'kind' | 'windowUntil' | 'humanUntil'>) => {
    if (kind !== 'DM') return null
    const left = (until: string | null) => (until === null ? 0 : Date.parse(until) - now)
    const free = left(windowUntil)
    const until = (iso: string | null) => (iso === null ? '' : moment(iso))
    if (free > 0) return { state: 'open', text: t('left', { span: span(free) }), until: until(windowUntil) } as const
    const human = left(humanUntil)
    if (human > 0) return { state: 'human', text: t('left', { span: span(human) }), until: until(humanUntil) } as const
    return { state: 'closed', text: t('closed'), until: until(humanUntil ?? windowUntil) } as const
  }
}
