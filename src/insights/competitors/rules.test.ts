import { expect, test } from 'vitest'
import { coverageOf, knownFromOf, type SeenSpan } from './rules.ts'

const time = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString()
const span = (from: number | null, to: number): SeenSpan => ({ from: from === null ? null : time(from), to: time(to) })
const period = { start: time(1), end: time(11) }
const later = new Date(time(20))

test.each<[string, SeenSpan[], number]>([
  ['nothing was read', [], 0],
  ['all posts were seen after the period', [span(null, 12)], 1],
  ['the last reading was within the period', [span(null, 6)], 0.5],
  ['earlier posts were no longer shown', [span(6, 12)], 0.5],
  ['posts between two readings were never shown', [span(null, 3), span(9, 12)], 0.4],
  ['readings overlap', [span(2, 8), span(4, 9)], 0.7],
])('a period is known as far as posts were seen: %s', (_, seen, share) => {
  expect(coverageOf({ ...period, seen }, later)).toBe(share)
})

test('a period that is not over is known whole after the reading of its day', () => {
  const now = new Date(time(10))
  expect(coverageOf({ ...period, end: time(10), seen: [span(null, 9.5)] }, now)).toBe(1)
  expect(coverageOf({ ...period, end: time(10), seen: [span(null, 5)] }, now)).toBe(0.5)
})

test('the start of the known posts is told if earlier posts of the period are unknown', () => {
  expect(knownFromOf({ ...period, seen: [span(6, 12), span(4, 8)] })).toBe(time(4))
  expect(knownFromOf({ ...period, seen: [span(null, 3)] })).toBeNull()
  expect(knownFromOf({ ...period, seen: [] })).toBeNull()
})
