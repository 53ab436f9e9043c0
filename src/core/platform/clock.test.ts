import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClock } from './clock.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000
/** How far the database's clock is off, in milliseconds. */
let off = 0
const database = () => new Date(Date.now() + off)
beforeEach(() => void (off = 0))

test.each([10 * MINUTE, -10 * MINUTE, 2_000, -2_000])('a step of %i ms is detected, and nothing else is', (by) => {
  const clock = createClock()
  clock.sync(database())
  const began = clock.steadySince()
  for (let i = 0; i < 20; i += 1) {
    vi.advanceTimersByTime(10_000)
    expect(clock.sync(database())).toBe(false)
  }
  expect(clock.steadySince()).toEqual(began)
  off += by
  vi.advanceTimersByTime(250)
  expect(clock.sync(database())).toBe(true)
  expect(clock.steadySince()).toEqual(database())
  expect(clock.now()).toEqual(database())
  vi.advanceTimersByTime(10_000)
  expect(clock.sync(database())).toBe(false)
})

test('a slow answer is not a step, and neither is a drift within two percent', () => {
  const clock = createClock()
  clock.sync(database())
  const asked = performance.now()
  const told = database()
  vi.advanceTimersByTime(30_000)
  expect(clock.sync(told, asked)).toBe(false)
  for (let i = 0; i < 30; i += 1) {
    vi.advanceTimersByTime(10_000)
    off += 100
    expect(clock.sync(database())).toBe(false)
  }
})

test('a clock that runs at twice the speed is detected within two minutes', () => {
  const clock = createClock()
  clock.sync(database())
  const steps = Array.from({ length: 480 }, () => {
    vi.advanceTimersByTime(250)
    off += 250
    return clock.sync(database())
  })
  expect(steps).toContain(true)
})
