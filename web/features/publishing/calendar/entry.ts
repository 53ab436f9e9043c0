import type { Answer } from '../../../client.ts'
import { dateIn } from '../../../time.ts'
import { APPROVAL_LOOK, isInReview, isStopped, STATUS_LOOK, STOPPED_LOOK } from '../../../ui/status.tsx'

/** One post as the calendar knows it. */
export type Entry = Answer<'getCalendar'>['data'][number] & {
  /** The idea that it is to be written from: there is no post yet. */
  idea?: string
}

/** The entries by their date in a zone, in order of time. */
export function byDay(entries: Entry[], zone: string): Map<string, Entry[]> {
  const days = new Map<string, Entry[]>()
  for (const entry of entries.toSorted((a, b) => a.happensAt.localeCompare(b.happensAt))) {
    const day = dateIn(new Date(entry.happensAt), zone)
    const list = days.get(day)
    if (list) list.push(entry)
    else days.set(day, [entry])
  }
  return days
}

/** A draft that nobody has given a time stands beside the calendar, on no day. */
export const isUnscheduled = ({ status, scheduledAt }: Pick<Entry, 'status' | 'scheduledAt'>) =>
  status === 'DRAFT' && scheduledAt === null

/** The icon, the colour and the word of what a post is up to. */
export function standingOf(entry: Entry) {
  if (isInReview(entry)) return { ...APPROVAL_LOOK.PENDING, word: 'approval.PENDING' } as const
  if (isStopped(entry)) return { ...STOPPED_LOOK, word: 'STOPPED' } as const
  return { ...STATUS_LOOK[entry.status], word: entry.status } as const
}
