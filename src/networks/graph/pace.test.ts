import { afterEach, expect, test, vi } from 'vitest'
import { createPace } from './pace.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('calls of one account start a pause apart, independently of other accounts', async () => {
  let now = 1_000
  let asked = 0
  const paced = createPace(60, { now: () => now, wait: async (milliseconds) => (asked = milliseconds) })
  /** Returns the milliseconds that a call of the account waits. */
  const waited = async (account: string) => {
    asked = 0
    await paced(account)
    return asked
  }
  expect([await waited('one'), await waited('one'), await waited('other'), await waited('one')]).toEqual([
    0, 60, 0, 120,
  ])
  now += 20.5
  // A timer would drop the fraction.
  expect(await waited('one')).toBe(160)
  // An unused turn does not accumulate.
  now += 1_000
  expect([await waited('one'), await waited('one')]).toEqual([0, 60])
})

// A call that waited for the length of the step would take an hour.
test('a clock that is set back does not make a call wait for the length of the step', async () => {
  const paced = createPace(60)
  vi.useFakeTimers({ toFake: ['Date'] })
  await paced('one')
  vi.setSystemTime(Date.now() - 3_600_000)
  await paced('one')
})
