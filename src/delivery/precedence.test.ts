import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPrecedence } from './precedence.ts'

test('other work starts immediately if there are no deliveries', async () => {
  const { wait } = createPrecedence(0.001)
  await wait()
})

test('other work waits for the last delivery', async () => {
  const { begin, wait } = createPrecedence(5)
  const events: string[] = []
  const ends = [begin(), begin()]
  const waiting = wait().then(() => events.push('work'))
  for (const end of ends) {
    // Work that did not wait would start here.
    await setImmediate()
    events.push('delivered')
    end()
  }
  await waiting
  expect(events).toEqual(['delivered', 'delivered', 'work'])
})

test('other work starts eventually, even if a delivery does not end', async () => {
  const { begin, wait } = createPrecedence(150)
  begin()
  await wait()
})
