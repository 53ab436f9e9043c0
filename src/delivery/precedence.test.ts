import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPrecedence } from './precedence.ts'

test('other work begins at once while nothing is delivered', async () => {
  const { wait } = createPrecedence(0.001)
  await wait()
})

test('other work waits for the last of the deliveries', async () => {
  const { begin, wait } = createPrecedence(5)
  const events: string[] = []
  const ends = [begin(), begin()]
  const waiting = wait().then(() => events.push('work'))
  for (const end of ends) {
    // Work that did not wait would begin here.
    await setImmediate()
    events.push('delivered')
    end()
  }
  await waiting
  expect(events).toEqual(['delivered', 'delivered', 'work'])
})

test('other work begins in the end beside a delivery that does not end', async () => {
  const { begin, wait } = createPrecedence(150)
  begin()
  await wait()
})
