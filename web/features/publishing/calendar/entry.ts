import type { Answer } from '../../../client.ts'
import { dateIn } from '../../../time.ts'

/** One post as the calendar knows it. */
export type Entry = Answer<'getCalendar'>['data'][number]

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
