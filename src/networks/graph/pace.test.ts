import { afterEach, expect, test, vi } from 'vitest'
import { createPace } from './pace.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('calls of one account start a pause apart, independently of other accounts', async () => {
  const paced = createPace(60)
  const begun = Date.now()
  const turns = ['one', 'one', 'other', 'one'].map(async (account) => {
    await paced(account)
    return Date.now() - begun
  })
  const [first, second, other, third] = (await Promise.all(turns)) as [number, number, number, number]
  expect(first).toBeLessThan(50)
  expect(other).toBeLessThan(50)
  expect(second).toBeGreaterThanOrEqual(58)
  expect(third).toBeGreaterThanOrEqual(118)
  // An unused turn does not accumulate.
  await new Promise((done) => setTimeout(done, 150))
  const later = Date.now()
  await paced('one')
  await paced('one')
  expect(Date.now() - later).toBeGreaterThanOrEqual(58)
})

test('a clock that is set back does not make a call wait for the length of the step', async () => {
  const paced = createPace(60)
  vi.useFakeTimers({ toFake: ['Date'] })
  await paced('one')
  vi.setSystemTime(Date.now() - 3_600_000)
  const begun = performance.now()
  await paced('one')
  expect(performance.now() - begun).toBeLessThan(1_000)
})
