import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { long } from '../../../test/tier.ts'
import { newPerson, type Person } from '../../../test/world.ts'

// How many calls of a workspace run at once, and how long a call takes if the model answers at once.

const { product } = useProduct({ env: FAST })
let ann: Person
beforeAll(async () => {
  ann = await newPerson(product.url)
})

const ask = () => ann.must('POST', '/ai/caption/generate', { topic: 'Fresh bread' })
const behave = (json: object) =>
  fetch(`${product.url}/sandbox/ai/behaviour`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  })

test('four calls of a workspace run at once, and the waiting ones follow', async () => {
  await behave({ delayMs: 400 })
  let most = 0
  let over = false
  const watch = async () => {
    while (!over) {
      const { data } = await ann.must<{ data: { status: string }[] }>('GET', '/ai/generations?limit=20')
      most = Math.max(most, data.filter(({ status }) => status === 'RUNNING').length)
    }
  }
  const watching = watch()
  await Promise.all(Array.from({ length: 10 }, ask))
  over = true
  await watching
  await behave({})
  expect(most).toBe(4)
})

test.runIf(long)('consecutive calls do not wait for the next poll of the queue', async () => {
  await ask()
  const times: number[] = []
  for (let call = 0; call < 20; call += 1) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  }
  // A call that waits for a poll takes a whole interval, and so does each after it. A busy machine slows some calls,
  // but never all.
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(600)
})
