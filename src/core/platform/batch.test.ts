import { expect, test } from 'vitest'
import { inBatches } from './batch.ts'

test('calls that arrive while an answer is pending are answered together, in call order', async () => {
  const batches: number[][] = []
  let go = () => {}
  const answer = new Promise<void>((resolve) => (go = resolve))
  const double = inBatches(
    async (asks: number[]) => {
      batches.push(asks)
      await answer
      return asks.map((each) => each * 2)
    },
    { most: 3 },
  )
  const first = [double(1), double(2)]
  await expect.poll(() => batches.length).toBe(1)
  const later = [3, 4, 5, 6].map(double)
  go()
  expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12])
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('a failure rejects every call of its batch, and the next batch runs', async () => {
  let fails = true
  const same = inBatches(async (asks: string[]) => {
    await Promise.resolve()
    if (fails) throw new Error('away')
    return asks
  })
  const results = await Promise.allSettled(['a', 'b'].map(same))
  expect(results.map((each) => each.status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await same('c')).toBe('c')
})

test('with two answers pending, further calls are answered together', async () => {
  const batches: { asks: number[]; go: () => void }[] = []
  const same = inBatches(
    (asks: number[]) => new Promise<number[]>((resolve) => batches.push({ asks, go: () => resolve(asks) })),
    { atOnce: 2 },
  )
  const all = [same(1)]
  await expect.poll(() => batches.length).toBe(1)
  all.push(same(2), same(3))
  await expect.poll(() => batches.length).toBe(2)
  all.push(same(4), same(5))
  await new Promise(setImmediate)
  batches[1]!.go()
  await expect.poll(() => batches.length).toBe(3)
  expect(batches.map(({ asks }) => asks)).toEqual([[1], [2, 3], [4, 5]])
  for (const { go } of batches) go()
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5])
})

test('a call that waits for others is answered together with them', async () => {
  const batches: number[][] = []
  const same = inBatches(
    async (asks: number[]) => {
      batches.push(asks)
      return asks
    },
    { gatherFor: 20 },
  )
  const first = same(1)
  await new Promise(setImmediate)
  expect(await Promise.all([first, same(2)])).toEqual([1, 2])
  expect(batches).toEqual([[1, 2]])
})
