import type { Answer } from '../../../client.ts'
import { dateIn } from '../../../time.ts'
import { APPROVAL_LOOK, isInReview, isStopped, STATUS_LOOK, STOPPED_LOOK } from '../../../ui/status.tsx'

/** A post in the calendar. */
export type CalendarEntry = Answer<'getCalendar'>['data'][number] & {
  /** The suggestion to write the post from. The post does not exist yet. */
  idea?: string
}

/** The entries by date in a zone, sorted by time. */
export function byDay(entries: CalendarEntry[], zone: string): Map<string, CalendarEntry[]> {
  const days = new Map<string, CalendarEntry[]>()
  for (const entry of entries.toSorted((a, b) => a.happensAt.localeCompare(b.happensAt))) {
    const day = dateIn(new Date(entry.happensAt), zone)
    const list = days.get(day)
    if (list) list.push(entry)
    else days.set(day, [entry])
  }
  return days
}

/** Whether a draft has no time. It then appears next to the calendar, on no day. */
export const isUnscheduled = ({ status, scheduledAt }: Pick<CalendarEntry, 'status' | 'scheduledAt'>) =>
  status === 'DRAFT' && scheduledAt === null

/** The icon, colour and word for the state of a post. */
export function standingOf(entry: CalendarEntry) {
  if (isInReview(entry)) return { ...APPROVAL_LOOK.PENDING, word: 'approval.PENDING' } as const
  if (isStopped(entry)) return { ...STOPPED_LOOK, word: 'STOPPED' } as const
  return { ...STATUS_LOOK[entry.status], word: entry.status } as const
}
