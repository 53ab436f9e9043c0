import { expect, test } from 'vitest'
import { areDaysDue, callsOf, nextDays, nextReading, retryAfter, spareOf } from './rules.ts'

const published = new Date('2026-03-01T09:00:00Z')
const HOUR = 3_600_000

/** Returns the hours after which a post is read, if each reading happens on time. */
function readings(kind: 'post' | 'story'): number[] {
  const at: number[] = []
  for (let next = nextReading({ kind, publishedAt: published }, null); next;) {
    at.push((next.getTime() - published.getTime()) / HOUR)
    next = nextReading({ kind, publishedAt: published }, next)
  }
  return at
}

test('a post is read six times on its first day, daily until day 7, and seven times later', () => {
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

test('after its first week a post is read with its account, at most 22 hours late', () => {
  const after = (time: string) => {
    const publishedAt = new Date(`2026-03-01T${time}:00Z`)
    const week = new Date(publishedAt.getTime() + 7 * 24 * HOUR)
    return nextReading({ kind: 'post', publishedAt }, week)?.toISOString().slice(0, 16)
  }
  expect(after('08:07')).toBe('2026-03-11T09:00')
  expect(after('14:41')).toBe('2026-03-12T09:00')
  expect(after('11:00')).toBe('2026-03-12T09:00')
  expect(after('10:59')).toBe('2026-03-11T10:59')
})

test('a story is read within its day', () => {
  expect(readings('story')).toEqual([1, 3, 6, 12, 20, 23])
})

test('readings within ten minutes become one', () => {
  const after = (minutes: number) =>
    nextReading({ kind: 'post', publishedAt: published }, new Date(published.getTime() + minutes * 60_000))
  expect(after(49)).toEqual(new Date('2026-03-01T10:00:00Z'))
  expect(after(51)).toEqual(new Date('2026-03-01T12:00:00Z'))
})

test('a post that is found late is read at the next age to come', () => {
  const late = new Date(published.getTime() + 8 * 24 * HOUR)
  expect(nextReading({ kind: 'post', publishedAt: published }, late)).toEqual(new Date('2026-03-11T09:00:00Z'))
  const over = new Date(published.getTime() + 91 * 24 * HOUR)
  expect(nextReading({ kind: 'post', publishedAt: published }, over)).toBeNull()
})

test('an account waits longer after each failure, and as long as its network asks, but at most a day', () => {
  const minutes = [1, 2, 3, 20].map((failures) => retryAfter(failures) / 60_000)
  expect(minutes).toEqual([10, 20, 40, 360])
  expect(retryAfter(1, 3 * HOUR)).toBe(3 * HOUR)
  expect(retryAfter(1, 240 * HOUR)).toBe(24 * HOUR)
})

test('the days of an account are due once a day, at nine', () => {
  const at = (time: string) => new Date(`2026-03-0${time}Z`)
  expect(areDaysDue(null, at('2T08:59:00'))).toBe(true)
  expect(areDaysDue(at('1T09:00:01'), at('2T08:59:59'))).toBe(false)
  expect(areDaysDue(at('1T09:00:01'), at('2T09:00:00'))).toBe(true)
  expect(nextDays(at('2T08:59:59'))).toEqual(at('2T09:00:00'))
  expect(nextDays(at('2T09:00:00'))).toEqual(at('3T09:00:00'))
})

test('an hourly limit of few calls is enough to read a post, a list and the days of an account', () => {
  for (const hourly of [18, 20, 27, 28, 60, 200]) {
    const left = Math.floor(hourly * 0.4)
    const most = callsOf(hourly)!
    expect(most).toBeLessThanOrEqual(left)
    expect(1 + spareOf(hourly) + 1).toBeLessThanOrEqual(most)
    expect(6 + spareOf(hourly) + 1).toBeLessThanOrEqual(left)
  }
  expect(spareOf(200)).toBe(7)
})
