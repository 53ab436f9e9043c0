import { expect, test } from 'vitest'
import { nextReading } from './rules.ts'

const published = new Date('2026-03-01T09:00:00Z')
const HOUR = 3_600_000

/** The hours after which a post is read, when each reading happens at its time. */
function readings(kind: 'post' | 'story'): number[] {
  const at: number[] = []
  for (let next = nextReading({ kind, publishedAt: published }, null); next;) {
    at.push((next.getTime() - published.getTime()) / HOUR)
    next = nextReading({ kind, publishedAt: published }, next)
  }
  return at
}

test('a post is read six times on its first day, daily to day 7, and seven times later', () => {
  const days = (list: number[]) => list.map((day) => day * 24)
  expect(readings('post')).toEqual([
    0.25,
    1,
    3,
    6,
    12,
    24,
    ...days([2, 3, 4, 5, 6, 7]),
    ...days([10, 14, 21, 30, 45, 60, 90]),
  ])
})

test('a story is read within its day', () => {
  expect(readings('story')).toEqual([1, 3, 6, 12, 20, 23])
})

test('readings within ten minutes are one', () => {
  const after = (minutes: number) =>
    nextReading({ kind: 'post', publishedAt: published }, new Date(published.getTime() + minutes * 60_000))
  expect(after(49)).toEqual(new Date('2026-03-01T10:00:00Z'))
  expect(after(51)).toEqual(new Date('2026-03-01T12:00:00Z'))
})

test('a post that is found late is read at the next age that is still to come', () => {
  const late = new Date(published.getTime() + 8 * 24 * HOUR)
  expect(nextReading({ kind: 'post', publishedAt: published }, late)).toEqual(new Date('2026-03-11T09:00:00Z'))
  const over = new Date(published.getTime() + 91 * 24 * HOUR)
  expect(nextReading({ kind: 'post', publishedAt: published }, over)).toBeNull()
})
