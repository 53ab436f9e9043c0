import type { FreeSlot, Slot } from './api.ts'

// Wall times of a zone by the zone data of the machine, in the browser too. A date is 'YYYY-MM-DD', a wall time 'YYYY-MM-DDTHH:MM'.

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(zone, format)
  }
  return format
}

/** The wall time in a zone, to the minute. */
export function wallTime(instant: Date, zone: string): string {
  const part: Record<string, string> = {}
  for (const { type, value } of formatOf(zone).formatToParts(instant)) part[type] = value
  return `${part['year']?.padStart(4, '0')}-${part['month']}-${part['day']}T${part['hour']}:${part['minute']}`
}

export const dateIn = (instant: Date, zone: string) => wallTime(instant, zone).slice(0, 10)

const DAY = 86_400_000
const asUtc = (wall: string) => Date.parse(`${wall}:00Z`)

const offsetAt = (ms: number, zone: string) => {
  const minute = Math.floor(ms / 60_000) * 60_000
  return asUtc(wallTime(new Date(minute), zone)) - minute
}

export const addDays = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00Z`) + days * DAY).toISOString().slice(0, 10)

/**
 * The instants of a wall time, in order: one; two where clocks go back over it; none where they skip it, and then `around` has
 * it by the clock before the change, which is later, and by the clock after it.
 */
export function instantsOf(wall: string, zone: string): { at: Date[]; around: { later: Date; earlier: Date } } {
  const utc = asUtc(wall)
  const before = utc - offsetAt(utc - DAY, zone)
  const after = utc - offsetAt(utc + DAY, zone)
  const at = [...new Set([before, after])].filter((ms) => asUtc(wallTime(new Date(ms), zone)) === utc)
  return {
    at: at.toSorted((a, b) => a - b).map((ms) => new Date(ms)),
    around: { later: new Date(Math.max(before, after)), earlier: new Date(Math.min(before, after)) },
  }
}

/** The instant of a wall time: the earlier of two when clocks go back, moved on by the gap when they go forward. */
export function instantOf(wall: string, zone: string): Date {
  const { at, around } = instantsOf(wall, zone)
  return at[0] ?? around.later
}

// ---- the queue

export type Day = Slot['day']

export const DAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Day[]

/**
 * The slots between two times, in order. Where clocks go forward over a slot it comes by what they skip later; where they go
 * back it comes once, the first time around.
 */
export function occurrences(slots: readonly Slot[], zone: string, from: Date, to: Date): FreeSlot[] {
  const found = new Map<string, FreeSlot>()
  const last = dateIn(to, zone)
  // The day before: a slot at its end may have been moved into this one.
  for (let date = addDays(dateIn(from, zone), -1); date <= last; date = addDays(date, 1)) {
    const day = DAYS[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7]
    for (const { time, accounts } of slots.filter((slot) => slot.day === day)) {
      const at = instantOf(`${date}T${time}`, zone)
      if (at >= from && at < to) found.set(`${at.getTime()} ${String(accounts)}`, { at: at.toISOString(), accounts })
    }
  }
  return [...found.values()].toSorted((a, b) => a.at.localeCompare(b.at))
}

/** A post that stands on the schedule. */
export interface ScheduledPost {
  at: Date
  accounts: readonly string[]
}

const minuteOf = (at: Date | string) => Math.floor(new Date(at).getTime() / 60_000)

/**
 * Those that no post has taken: one at the same minute takes a slot for all accounts, and one for some where it goes to one of
 * them. For a post to some accounts only slots that are for all of these.
 */
export function freeOf(occurring: readonly FreeSlot[], taken: readonly ScheduledPost[], targets?: readonly string[]) {
  const byMinute = new Map<number, ScheduledPost[]>()
  for (const post of taken) byMinute.set(minuteOf(post.at), [...(byMinute.get(minuteOf(post.at)) ?? []), post])
  return occurring.filter(
    ({ at, accounts }) =>
      !byMinute
        .get(minuteOf(at))
        ?.some((post) => accounts === null || post.accounts.some((id) => accounts.includes(id))) &&
      (accounts === null || !targets || (targets.length > 0 && targets.every((id) => accounts.includes(id)))),
  )
}
