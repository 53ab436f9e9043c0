import type { FreeSlot, Slot } from './api.ts'

// Wall times of a zone, by the time zone data of the machine or browser. A date is 'YYYY-MM-DD', a wall time
// 'YYYY-MM-DDTHH:MM'.

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

/** Returns the wall time of an instant in a zone, to the minute. */
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
 * Returns the instants of a wall time, in order: usually one, two if clocks go back over it, and none if clocks skip
 * it. For a skipped time, `around` has its instants by the clock before the change (`later`) and after it (`earlier`).
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

/**
 * Returns the instant of a wall time: the earlier of two if clocks go back over it, or later by the gap if clocks skip
 * it.
 */
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
 * Returns the occurrences of slots between two times, in order. A slot that clocks skip occurs later by the gap. A slot
 * that clocks repeat occurs once, the first time.
 */
export function occurrences(slots: readonly Slot[], zone: string, from: Date, to: Date): FreeSlot[] {
  const found = new Map<string, FreeSlot>()
  const last = dateIn(to, zone)
  // A gap may have moved a slot from the end of the previous day into this one.
  for (let date = addDays(dateIn(from, zone), -1); date <= last; date = addDays(date, 1)) {
    const day = DAYS[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7]
    for (const { time, accounts } of slots.filter((slot) => slot.day === day)) {
      const at = instantOf(`${date}T${time}`, zone)
      if (at >= from && at < to) found.set(`${at.getTime()} ${String(accounts)}`, { at: at.toISOString(), accounts })
    }
  }
  return [...found.values()].toSorted((a, b) => a.at.localeCompare(b.at))
}

/** A scheduled post. */
export interface ScheduledPost {
  at: Date
  accounts: readonly string[]
}

const minuteOf = (at: Date | string) => Math.floor(new Date(at).getTime() / 60_000)

/**
 * Returns the slots that no post has taken. A post in the same minute takes a slot for all accounts; it takes a slot
 * for some accounts only if it goes to one of them. With `targets`, a slot for some accounts must be for all of
 * `targets`.
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
