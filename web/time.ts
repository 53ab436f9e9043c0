import { addDays, dateIn, type Day, DAYS, instantOf, instantsOf, wallTime } from '../src/publishing/scheduler/rules.ts'

// A date is 'YYYY-MM-DD', a wall time 'YYYY-MM-DDTHH:MM'. Client and server share the code that interprets them in a
// zone.
export { addDays, dateIn, instantOf, instantsOf, wallTime }

/** The instant at which a date begins in a zone. */
export const startOf = (date: string, zone: string) => instantOf(`${date}T00:00`, zone)

/** The first day of the month that is `months` months after that of `date`. */
export function addMonths(date: string, months: number): string {
  const first = new Date(`${date.slice(0, 7)}-01T00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + months)
  return first.toISOString().slice(0, 10)
}

/** 0 is Sunday. */
const weekday = (date: string) => new Date(`${date}T00:00Z`).getUTCDay()

export type WeekStart = 'monday' | 'sunday' | 'saturday'
const FIRST: Record<WeekStart, number> = { sunday: 0, monday: 1, saturday: 6 }

/** The weeks that a month's grid shows: lists of seven dates. */
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

/** The seven dates of the week that contains a date. */
export function weekOf(date: string, weekStart: WeekStart): string[] {
  const first = addDays(date, -((weekday(date) - FIRST[weekStart] + 7) % 7))
  return Array.from({ length: 7 }, (_, index) => addDays(first, index))
}

/** The weekend of a locale as ISO numbers of days: 1 is Monday. */
function weekendOf(tag: string): readonly number[] {
  // Browsers have this data as a method, as a property, or not at all.
  const locale = new Intl.Locale(tag) as Intl.Locale & { getWeekInfo?: () => WeekInfo; weekInfo?: WeekInfo }
  const info = locale.getWeekInfo?.() ?? locale.weekInfo
  return info?.weekend ?? (locale.language === 'ar' ? [5, 6] : [6, 7])
}

interface WeekInfo {
  weekend: readonly number[]
}

/** The workdays of a locale in order, starting with the first after the weekend. */
export function workdays(locale: string): Day[] {
  const weekend = weekendOf(locale)
  const isFree = (index: number) => weekend.includes((index % 7) + 1)
  const first = DAYS.findIndex((_, index) => !isFree(index) && isFree(index + 6))
  return [...DAYS.slice(first), ...DAYS.slice(0, first)].filter((day) => !isFree(DAYS.indexOf(day)))
}

/** The wall time with the same time of day on another date. */
export const wallOn = (instant: Date, date: string, zone: string) => `${date}T${wallTime(instant, zone).slice(11)}`

/**
 * The instant with the same time of day on another date. If a clock change skips that time, it moves forward by the
 * skipped amount.
 */
export const onDate = (instant: Date, date: string, zone: string) => instantOf(wallOn(instant, date, zone), zone)

/** Whether a clock change skips or repeats a wall time, so that it does not identify one instant. */
export const isUnclear = (wall: string, zone: string) => instantsOf(wall, zone).at.length !== 1

/** The instant of a wall time; null if a clock change skips or repeats it. */
export function momentOf(wall: string, zone: string): Date | null {
  const { at } = instantsOf(wall, zone)
  return at.length === 1 ? (at[0] ?? null) : null
}

export const QUARTER = 900_000

/** One clock hour of a week: for each day, its quarters as instants, or null where the day lacks that time. */
export interface HourRow {
  hour: number
  /** The repeated hour of a day when clocks go back. */
  again: boolean
  days: (number | null)[][]
}

/**
 * The hours of several days by the clock. A 23-hour day has a gap. A 25-hour day adds a row, for all days, for its
 * repeated hour.
 */
export function hourRows(dates: string[], zone: string): HourRow[] {
  const rows = new Map<number, HourRow>()
  const rowOf = (hour: number, again: boolean) => {
    const key = 2 * hour + (again ? 1 : 0)
    const row = rows.get(key) ?? { hour, again, days: dates.map(() => [null, null, null, null]) }
    rows.set(key, row)
    return row
  }
  for (let hour = 0; hour < 24; hour++) rowOf(hour, false)
  for (const [column, date] of dates.entries()) {
    const end = startOf(addDays(date, 1), zone).getTime()
    let latest = -1
    for (let at = startOf(date, zone).getTime(); at < end; at += QUARTER) {
      const wall = wallTime(new Date(at), zone)
      const minute = Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14))
      const quarters = rowOf(Math.floor(minute / 60), minute <= latest).days[column]
      if (quarters) quarters[Math.floor((minute % 60) / 15)] = at
      latest = Math.max(latest, minute)
    }
  }
  return [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row)
}

const nameOf = (zone: string, at: Date, locale: string, style: 'short' | 'shortGeneric' | 'long' = 'short') =>
  new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: style })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value ?? zone

/** The date format. The medium style of `Intl` writes the month as a number in Arabic. */
export const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const
export const DAY_TIME = { ...DAY, hour: 'numeric', minute: '2-digit' } as const

/** The year of a date format, which only a date outside the zone's current year shows. */
export const yearOf = (at: Date, zone: string): { year?: 'numeric' } =>
  dateIn(at, zone).slice(0, 4) === dateIn(new Date(), zone).slice(0, 4) ? {} : { year: 'numeric' }

/** The format of a date with its weekday, and with its year unless it is the current one. */
export const weekdayFormat = (at: Date, zone: string) =>
  ({ weekday: 'short', day: 'numeric', month: 'short', ...yearOf(at, zone), timeZone: zone }) as const

/** The format of a time with its date, and with its year unless it is the current one. */
export const timeFormat = (at: Date, zone: string) =>
  ({ ...weekdayFormat(at, zone), hour: 'numeric', minute: '2-digit' }) as const

/** Whether the names of cities are in this language. Other languages know a zone by its country. */
export const isEnglish = (locale: string) => locale.startsWith('en')

/** A zone's place and its name at an instant; only one if both are the same. */
export function zoneLabel(zone: string, at: Date, locale: string): string {
  const short = zoneName(zone, at, locale)
  if (!isEnglish(locale)) return zonePlace(zone, at, locale)?.concat(` (${short})`) ?? nameOf(zone, at, locale, 'long')
  return short === zone ? zone : `${zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')}, ${short}`
}

/** The country or city of a zone in a language, such as "Germany Time". Null for a zone without a place. */
export const zonePlace = (zone: string, at: Date, locale: string): string | null =>
  zone.includes('/') && !zone.startsWith('Etc/') ? nameOf(zone, at, locale, 'shortGeneric') : null

/** The name of a zone at an instant: CET if a known locale has an abbreviation, else GMT+1 in the reader's language. */
export function zoneName(zone: string, at: Date, locale: string): string {
  // Zone abbreviations use Latin letters in every language.
  const locales = [...(isEnglish(locale) ? [locale] : []), 'en-US', 'en-GB', 'en-AU']
  const names = locales.map((one) => nameOf(zone, at, one))
  return names.find((name) => !/^GMT|^UTC[+-]/.test(name)) ?? nameOf(zone, at, locale)
}
