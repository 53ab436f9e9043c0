import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { addDays, addMonths, dateIn, instantOf, monthGrid, startOf, wallTime } from '../../web/time.ts'

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
  test.each(DAYS)('are those of the zone data around %s', (day) => {
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

test('a month is shown in whole weeks that begin where the workspace says', () => {
  expect(monthGrid('2026-11-21', 'monday')[0]?.[0]).toBe('2026-10-26')
  expect(monthGrid('2026-11-21', 'sunday')[0]?.[0]).toBe('2026-11-01')
  expect(monthGrid('2026-11-21', 'saturday')[0]?.[0]).toBe('2026-10-31')
  expect(monthGrid('2026-02-01', 'sunday')).toHaveLength(4)
  expect(monthGrid('2026-11-21', 'monday').at(-1)?.[6]).toBe('2026-12-06')
})

test('days and months go over the ends of years', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addMonths('2026-01-31', -1)).toBe('2025-12-01')
})
