import { describe, expect, test } from 'vitest'
import { createNetworkClock, windowFrom } from './clock.ts'

const MINUTE = 60_000
const T = Date.UTC(2026, 5, 1, 12)
const at = (minutes: number) => new Date(T + minutes * MINUTE)
/** Returns the start of the window in minutes after noon, by the network's true clock. */
const opens = (since: Parameters<typeof windowFrom>[0], networkNow: Date | null) =>
  (windowFrom(since, networkNow) - T) / MINUTE

describe('the window for a post sent at noon and read three minutes later', () => {
  test.each([
    ['both clocks are right', { at: at(0), seen: at(3), ours: at(0), now: at(3) }, at(3)],
    ['our clock was ahead and is set back', { at: at(0), seen: at(3), ours: at(10), now: at(3) }, at(3)],
    ['our clock leaps ahead', { at: at(0), seen: at(3), ours: at(0), now: at(63) }, at(3)],
    ['our clock was behind and is set right', { at: at(0), seen: at(3), ours: at(-30), now: at(3) }, at(3)],
    ["the network's clock was ahead at the intent", { at: at(60), seen: at(60), ours: at(0), now: at(3) }, at(3)],
    ["the network's clock is behind at the read", { at: at(0), seen: at(3), ours: at(0), now: at(3) }, at(-57)],
    ['the network reports no time at the read', { at: at(0), seen: null, ours: at(0), now: at(3) }, null],
    ["the network's time was unknown at the intent", { at: null, seen: at(3), ours: at(10), now: at(3) }, at(3)],
    [
      "both were ahead at the intent, the network's by an hour, and are set right",
      { at: at(60), seen: at(63), ours: at(10), now: at(3) },
      at(3),
    ],
    [
      "the network's time was unknown at the intent, and our clock is two days ahead",
      { at: null, seen: null, ours: at(2880), now: at(2883) },
      at(3),
    ],
  ] as const)('starts no later than noon if %s', (_, since, networkNow) => {
    expect(opens(since, networkNow)).toBeLessThanOrEqual(0)
  })

  test('starts two minutes before noon if both clocks are right, which excludes older posts', () => {
    expect(opens({ at: at(0), seen: at(3), ours: at(0), now: at(3) }, at(3))).toBe(-2)
  })
})

test('an unreadable Date is ignored; the latest one counts, plus the time since', () => {
  const clock = createNetworkClock()
  expect(clock.saw(new Headers({ date: 'yesterday, about noon' }))).toBeNull()
  expect(clock.now()).toBeNull()
  expect(clock.saw(new Headers({ date: at(5).toUTCString() }))).toEqual(at(5))
  expect(clock.saw(new Headers({ date: at(1).toUTCString() }))).toEqual(at(1))
  expect(clock.now()?.getTime()).toBeGreaterThanOrEqual(at(5).getTime())
})

test('a Date beyond the range of the database is ignored', () => {
  const clock = createNetworkClock()
  expect(clock.saw(new Headers({ date: 'Sat, 01 Jan 10000 00:00:00 GMT' }))).toBeNull()
  expect(clock.now()).toBeNull()
})
