import { addDays, dateIn, instantsOf, wallTime } from '../../publishing/scheduler/rules.ts'

/** A daily span by the clock of a time zone, as `HH:MM`. A span that ends before it starts crosses midnight. */
export interface Hours {
  start: string
  end: string
  zone: string
}

/** Returns when the hours open next, or null during them. A start that the clock skips is moved by the gap. */
export function opensAt(now: Date, { start, end, zone }: Hours): Date | null {
  const time = wallTime(now, zone).slice(11)
  const isOpen = start < end ? time >= start && time < end : time >= start || time < end
  if (isOpen) return null
  for (let date = dateIn(now, zone); ; date = addDays(date, 1)) {
    const { at, around } = instantsOf(`${date}T${start}`, zone)
    const next = (at.length > 0 ? at : [around.later]).find((each) => each > now)
    if (next) return next
  }
}
