import { expect, test } from 'vitest'
import { callsOf, countsAfter, risenSince } from './rules.ts'

const post = (id: string, comments: number) => ({ id, comments, at: '2026-11-25T10:00:00.000Z', text: '', url: null })

test('the first reading of an account finds nothing new', () => {
  expect(risenSince(null, [post('a', 3)])).toEqual([])
})

test('a post rises if it has more comments than before, and a new post if it has any', () => {
  const posts = [post('more', 3), post('same', 2), post('fewer', 1), post('new', 1), post('silent', 0)]
  const risen = risenSince({ more: 2, same: 2, fewer: 2 }, posts)
  expect(risen.map(({ id, before }) => [id, before])).toEqual([
    ['more', 2],
    ['new', 0],
  ])
})

test('a count that fell rises from its new value', () => {
  const fallen = countsAfter({ a: 5 }, [post('a', 3)], true)
  expect(risenSince(fallen, [post('a', 4)])).toMatchObject([{ before: 3, comments: 4 }])
})

test('posts that a reading did not reach keep their counts, and posts that are too old are dropped', () => {
  expect(countsAfter({ a: 5, old: 2 }, [post('a', 6)], false)).toEqual({ a: 6, old: 2 })
  expect(countsAfter({ a: 5, old: 2 }, [post('a', 6)], true)).toEqual({ a: 6 })
})

test('a reading uses a tenth of the hourly calls', () => {
  expect([callsOf(200), callsOf(10), callsOf(null)]).toEqual([20, 5, null])
})
