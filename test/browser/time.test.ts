import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { proposedTime } from '../../web/features/publishing/calendar/proposed-time.ts'
import {
  addDays,
  addMonths,
  dateIn,
  hourRows,
  instantOf,
  monthGrid,
  onDate,
  startOf,
  timeFormat,
  wallTime,
  weekOf,
  workdays,
  zoneLabel,
} from '../../web/time.ts'
import { snoozeTimes } from '../../web/features/conversations/inbox/snooze-times.ts'

const ZONES = ['Europe/Berlin', 'Africa/Cairo', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']
const DAYS = [
  '2026-03-29',
  '2026-10-25',
  '2026-04-24',
  '2026-10-30',
  '2018-11-04',
  '2018-02-18',
  '2026-04-05',
  '2026-10-04',
]

describe.each(ZONES)('times of %s', (zone) => {
  test.each(DAYS)('match the zone data around %s', (day) => {
    for (let minutes = -1440; minutes <= 2880; minutes += 15) {
      const wall = Temporal.PlainDateTime.from(`${day}T00:00`).add({ minutes })
      const text = wall.toString({ smallestUnit: 'minute' })
      const expected = wall.toZonedDateTime(zone, { disambiguation: 'compatible' })
      expect(instantOf(text, zone).getTime(), text).toBe(expected.epochMilliseconds)
      expect(wallTime(instantOf(text, zone), zone)).toBe(
        expected.toPlainDateTime().toString({ smallestUnit: 'minute' }),
      )
    }
    expect(startOf(day, zone).getTime()).toBe(Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds)
    expect(dateIn(startOf(day, zone), zone)).toBe(day)
  })
})

test.each([
  ['2026-12-01', '2026-11-30T22:30:00Z', '2026-12-01T09:00'],
  ['2026-11-30', '2026-11-30T07:59:00Z', '2026-11-30T09:00'],
  ['2026-11-30', '2026-11-30T08:00:00Z', '2026-11-30T10:00'],
  ['2026-11-30', '2026-11-30T13:20:00Z', '2026-11-30T15:00'],
  ['2026-11-30', '2026-11-30T22:30:00Z', '2026-11-30T23:59'],
  ['2026-12-01', '2026-11-30T23:30:00Z', '2026-12-01T09:00'],
])('a post on %s, seen at %s, is proposed for %s', (date, now, wall) => {
  expect(proposedTime(date, 'Europe/Berlin', new Date(now))).toBe(wall)
})

describe.each(ZONES)('the hours of %s', (zone) => {
  test.each(DAYS)('are complete and unique around %s', (day) => {
    const dates = [addDays(day, -1), day, addDays(day, 1)]
    const rows = hourRows(dates, zone)
    for (const [column, date] of dates.entries()) {
      const shown = rows.flatMap((row) => row.days[column]?.filter((at) => at !== null) ?? [])
      const first = Temporal.PlainDate.from(date).toZonedDateTime(zone)
      const { hoursInDay } = first
      expect(shown).toHaveLength(hoursInDay * 4)
      expect(shown.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: hoursInDay * 4 }, (_, index) => first.add({ minutes: 15 * index }).epochMilliseconds),
      )
    }
    for (const { hour, again, days } of rows)
      for (const [column, quarters] of days.entries())
        for (const [quarter, at] of quarters.entries()) {
          if (at === null) continue
          const wall = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
          expect([wall.hour, wall.minute]).toEqual([hour, quarter * 15])
          expect(again).toBe(
            instantOf(`${dates[column]}T${wall.toPlainTime().toString().slice(0, 5)}`, zone).getTime() < at,
          )
        }
  })
})

test('a day of 23 hours lacks one, and a day of 25 repeats one', () => {
  const holes = (dates: string[]) =>
    hourRows(dates, 'Europe/Berlin').map(({ hour, again, days }) => [hour, again, days[0]?.includes(null)])
  expect(holes(['2026-03-29']).filter(([, , hole]) => hole)).toEqual([[2, false, true]])
  expect(holes(['2026-03-29'])).toHaveLength(24)
  expect(holes(['2026-10-25']).slice(2, 4)).toEqual([
    [2, false, false],
    [2, true, false],
  ])
  expect(holes(['2026-10-24', '2026-10-25'])).toHaveLength(25)
})

test('moving to another date keeps the time of day, also across a clock change', () => {
  const at = (wall: string) => instantOf(wall, 'Europe/Berlin')
  expect(onDate(at('2026-10-24T16:15'), '2026-10-26', 'Europe/Berlin')).toEqual(new Date('2026-10-26T15:15Z'))
  expect(onDate(at('2026-03-28T16:15'), '2026-03-30', 'Europe/Berlin')).toEqual(new Date('2026-03-30T14:15Z'))
  expect(onDate(at('2026-03-28T02:30'), '2026-03-29', 'Europe/Berlin')).toEqual(at('2026-03-29T03:30'))
  expect(onDate(at('2026-10-24T02:30'), '2026-10-25', 'Europe/Berlin')).toEqual(new Date('2026-10-25T00:30Z'))
})

test('a week begins on the day that the workspace has chosen', () => {
  expect(weekOf('2026-11-21', 'monday')).toEqual([16, 17, 18, 19, 20, 21, 22].map((day) => `2026-11-${day}`))
  expect(weekOf('2026-11-22', 'monday')[0]).toBe('2026-11-16')
  expect(weekOf('2026-11-21', 'sunday')[0]).toBe('2026-11-15')
  expect(weekOf('2026-11-21', 'saturday')[0]).toBe('2026-11-21')
})

test('a month is shown in whole weeks, which begin on that day', () => {
  expect(monthGrid('2026-11-21', 'monday')[0]?.[0]).toBe('2026-10-26')
  expect(monthGrid('2026-11-21', 'sunday')[0]?.[0]).toBe('2026-11-01')
  expect(monthGrid('2026-11-21', 'saturday')[0]?.[0]).toBe('2026-10-31')
  expect(monthGrid('2026-02-01', 'sunday')).toHaveLength(4)
  expect(monthGrid('2026-11-21', 'monday').at(-1)?.[6]).toBe('2026-12-06')
})

test('a zone has its place and its name in the language of the reader', () => {
  const at = new Date('2026-11-30T12:00Z')
  const labels = (locale: string) =>
    ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC'].map((zone) => zoneLabel(zone, at, locale))
  expect(labels('en')).toEqual(['Berlin, CET', 'New York, EST', 'Kathmandu, GMT+5:45', 'UTC'])
  expect(labels('ar')).toEqual([
    'توقيت ألمانيا (CET)',
    'توقيت نيويورك (EST)',
    'توقيت نيبال (غرينتش+5:45)',
    'التوقيت العالمي المنسق',
  ])
})

test('days and months cross the end of a year', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addMonths('2026-01-31', -1)).toBe('2025-12-01')
})

test('a time shows its year in every year but the current one of its zone', () => {
  const year = Number(dateIn(new Date(), 'Africa/Cairo').slice(0, 4))
  const shown = (at: string) =>
    new Intl.DateTimeFormat('en', timeFormat(new Date(at), 'Africa/Cairo')).format(new Date(at))
  expect(shown(`${year}-05-05T09:00Z`)).not.toContain(String(year))
  // In Cairo, the year is two hours old.
  expect(shown(`${year - 1}-12-31T22:30Z`)).not.toContain(String(year))
  expect(shown(`${year}-12-31T22:30Z`)).toContain(String(year + 1))
  expect(shown(`${year - 1}-05-05T09:00Z`)).toContain(String(year - 1))
})

describe('the workdays of a language', () => {
  const arabic = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday']
  const english = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

  test('begin on Sunday in Arabic, and on Monday in English', () => {
    expect(workdays('ar')).toEqual(arabic)
    expect(workdays('en')).toEqual(english)
  })

  test('are the same in a browser without week data', () => {
    // Browsers have the data as a method, as a property, or not at all.
    const names = ['getWeekInfo', 'weekInfo'] as const
    const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(Intl.Locale.prototype, name)] as const)
    try {
      for (const name of names)
        Object.defineProperty(Intl.Locale.prototype, name, { value: undefined, configurable: true })
      expect(workdays('ar')).toEqual(arabic)
      expect(workdays('en')).toEqual(english)
      const value = () => ({ weekend: [7] })
      Object.defineProperty(Intl.Locale.prototype, 'getWeekInfo', { value, configurable: true })
      expect(workdays('en')).toEqual([...english, 'saturday'])
    } finally {
      for (const [name, descriptor] of before) {
        Reflect.deleteProperty(Intl.Locale.prototype, name)
        if (descriptor) Object.defineProperty(Intl.Locale.prototype, name, descriptor)
      }
    }
  })
})

test('a snooze until next week ends on the first workday of the language', () => {
  // A Thursday.
  const now = new Date('2026-11-26T12:00Z')
  const until = (locale: string, at = now) => snoozeTimes('UTC', locale, at).week.toISOString().slice(0, 10)
  expect(until('en')).toBe('2026-11-30')
  expect(until('ar')).toBe('2026-11-29')
  // On that day itself, it is the one a week later.
  expect(until('en', new Date('2026-11-30T12:00Z'))).toBe('2026-12-07')
  expect(until('ar', new Date('2026-11-29T12:00Z'))).toBe('2026-12-06')
})
