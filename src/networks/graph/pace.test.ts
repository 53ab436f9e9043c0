import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

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
