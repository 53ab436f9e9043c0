import { setImmediate as soon } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTaskQueue } from './task-queue.ts'

test('two keys run at once, one task of each, and a task that waits for its key does not block others', async () => {
  const take = createTaskQueue({ atOnce: 2, waiting: 4, waitingOfOne: 2, retryAfter: 3 })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (key: string, name: string) =>
    take(key, () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const end = async (name: string) => {
    ends.get(name)!()
    await soon()
  }
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'd1'].map((name) => work(name[0]!, name))
  await soon()
  expect(begun).toEqual(['a1', 'b1'])
  for (const key of ['a', 'e'])
    await expect(work(key, 'late')).rejects.toMatchObject({ code: 'rate_limited', more: { retryAfter: 3 } })
  await end('b1')
  expect(begun).toEqual(['a1', 'b1', 'c1'])
  await expect(work('a', 'late')).rejects.toMatchObject({ code: 'rate_limited' })
  await end('a1')
  await end('c1')
  await end('a2')
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'd1', 'a3'])
  await end('d1')
  await end('a3')
  await Promise.all(all)
})

test('a task that fails passes its turn on', async () => {
  const take = createTaskQueue({ atOnce: 1, waiting: 1, waitingOfOne: 1, retryAfter: 1 })
  await expect(take('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await take('a', () => Promise.resolve('done'))).toBe('done')
})
