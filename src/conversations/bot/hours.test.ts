import { expect, test } from 'vitest'
import { opensAt } from './hours.ts'

const opens = (now: string, start: string, end: string, zone = 'Europe/Berlin') =>
  opensAt(new Date(now), { start, end, zone })?.toISOString() ?? null

test('within the hours nothing waits; they include the start and exclude the end', () => {
  expect(opens('2026-01-12T08:00:00Z', '09:00', '17:00')).toBe(null)
  expect(opens('2026-01-12T15:59:59Z', '09:00', '17:00')).toBe(null)
  expect(opens('2026-01-12T16:00:00Z', '09:00', '17:00')).toBe('2026-01-13T08:00:00.000Z')
})

test('before the hours, they open on the same day', () => {
  expect(opens('2026-01-12T03:00:00Z', '09:00', '17:00')).toBe('2026-01-12T08:00:00.000Z')
})

test('hours may span midnight', () => {
  expect(opens('2026-01-12T23:30:00Z', '22:00', '02:00')).toBe(null)
  expect(opens('2026-01-12T00:59:00Z', '22:00', '02:00')).toBe(null)
  expect(opens('2026-01-12T01:00:00Z', '22:00', '02:00')).toBe('2026-01-12T21:00:00.000Z')
})

test('the clock of the time zone counts before and after a change', () => {
  // Berlin: UTC+1 until 29 March 2026, UTC+2 from then on.
  expect(opens('2026-03-28T18:00:00Z', '09:00', '17:00')).toBe('2026-03-29T07:00:00.000Z')
  expect(opens('2026-10-24T18:00:00Z', '09:00', '17:00')).toBe('2026-10-25T08:00:00.000Z')
})

test('hours that start in a skipped time open at the first minute after the gap', () => {
  expect(opens('2026-03-29T00:00:00Z', '02:30', '04:00')).toBe('2026-03-29T01:30:00.000Z')
})

test('hours that start at a repeated time open the second time too', () => {
  // Berlin has 02:30 twice on 25 October 2026, at 00:30Z and 01:30Z.
  expect(opens('2026-10-25T00:50:00Z', '02:30', '02:45')).toBe('2026-10-25T01:30:00.000Z')
})
