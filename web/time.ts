// Wall times of a zone by the browser's own zone data. A date is 'YYYY-MM-DD', a wall time 'YYYY-MM-DDTHH:MM'.

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

const asUtc = (wall: string) => Date.parse(`${wall}:00Z`)

const offsetAt = (ms: number, zone: string) => {
  const minute = Math.floor(ms / 60_000) * 60_000
  return asUtc(wallTime(new Date(minute), zone)) - minute
}

const DAY = 86_400_000

/** The instant of a wall time: the earlier of two when clocks go back, moved on by the gap when they go forward. */
export function instantOf(wall: string, zone: string): Date {
  const utc = asUtc(wall)
  const before = utc - offsetAt(utc - DAY, zone)
  if (asUtc(wallTime(new Date(before), zone)) === utc) return new Date(before)
  const after = utc - offsetAt(utc + DAY, zone)
  return new Date(asUtc(wallTime(new Date(after), zone)) === utc ? after : before)
}

/** When a date begins in a zone. */
export const startOf = (date: string, zone: string) => instantOf(`${date}T00:00`, zone)

export const addDays = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00Z`) + days * DAY).toISOString().slice(0, 10)

/** The first day of the month that lies so many months away. */
export function addMonths(date: string, months: number): string {
  const first = new Date(`${date.slice(0, 7)}-01T00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + months)
  return first.toISOString().slice(0, 10)
}

/** 0 is Sunday. */
const weekday = (date: string) => new Date(`${date}T00:00Z`).getUTCDay()

export type WeekStart = 'monday' | 'sunday' | 'saturday'
const FIRST: Record<WeekStart, number> = { sunday: 0, monday: 1, saturday: 6 }

/** The weeks that show a month: lists of seven dates. */
export function monthGrid(date: string, weekStart: WeekStart): string[][] {
  const first = `${date.slice(0, 7)}-01`
  const next = addMonths(first, 1)
  let day = addDays(first, -((weekday(first) - FIRST[weekStart] + 7) % 7))
  const weeks: string[][] = []
  while (day < next) {
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(day, index)))
    day = addDays(day, 7)
  }
  return weeks
}

const nameOf = (zone: string, at: Date, locale: string) =>
  new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value ?? zone

/** A zone by its name and how it is called at a time, once when both are the same. */
export function zoneLabel(zone: string, at: Date, locale: string): string {
  const short = zoneName(zone, at, locale)
  return short === zone ? zone : `${zone.replaceAll('_', ' ')}, ${short}`
}

/** How a zone is called at a time: CET where the language or one of its countries has letters for it, else GMT+1. */
export function zoneName(zone: string, at: Date, locale: string): string {
  const locales = locale.startsWith('en') ? [locale, 'en-US', 'en-GB', 'en-AU'] : [locale]
  const names = locales.map((one) => nameOf(zone, at, one))
  return names.find((name) => !/^GMT|^UTC[+-]/.test(name)) ?? names[0] ?? zone
}
