import { expect, test } from 'vitest'
import { numbersOf } from '../../predictions/rules.ts'
import { groupsOf, type TaggedPost } from './rules.ts'

const TOPICS = ['bread', 'coffee', 'events', 'team']

interface Plan {
  /** By how much each value multiplies the usual engagement. */
  effects?: Readonly<Record<string, number>>
  /** The usual engagement of each account. */
  accounts?: readonly number[]
  valuesOf?: (topic: string) => string[]
}

/** Simulates posts. The same seed gives the same posts. */
function posts(seed: number, count: number, { effects = {}, accounts = [200], valuesOf }: Plan = {}): TaggedPost[] {
  const next = numbersOf(seed)
  return Array.from({ length: count }, () => {
    const topic = TOPICS[Math.floor(next() * TOPICS.length)] ?? ''
    const account = Math.floor(next() * accounts.length)
    const noise = Math.exp(0.5 * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()))
    const engagement = Math.round((accounts[account] ?? 0) * (effects[topic] ?? 1) * noise)
    return { like: `account ${account}`, values: valuesOf?.(topic) ?? [topic], engagement, rate: engagement / 5000 }
  })
}

const estimates = (found: ReturnType<typeof groupsOf>) =>
  Object.fromEntries(found.map(({ value, estimate }) => [value, estimate]))

test('a better topic comes first, and its estimate is shrunk towards the usual', () => {
  const found = groupsOf(posts(1, 80, { effects: { events: 2.5 } }))
  expect(found[0]?.value).toBe('events')
  expect(found[0]?.estimate).toBeGreaterThan(1.4)
  const few = groupsOf(posts(1, 12, { effects: { events: 2.5 } }))
  expect(Math.abs(Math.log(estimates(few)['events'] ?? 1))).toBeLessThan(Math.log(2.5))
})

test('if only chance differs, estimates are hardly different from 1', () => {
  const far = Array.from({ length: 200 }, (_, seed) => groupsOf(posts(seed + 1, 60))).flatMap((groups) =>
    groups.map(({ estimate }) => Math.abs(Math.log(estimate))),
  )
  expect(far.filter((each) => each > Math.log(1.2)).length / far.length).toBeLessThan(0.1)
})

test('a topic gets no credit for its account', () => {
  const next = numbersOf(3)
  const found = groupsOf(
    posts(3, 120, { accounts: [20, 2000] }).map((post) => ({
      ...post,
      values: [post.like === 'account 1' || next() < 0.1 ? 'large' : 'small'],
    })),
  )
  expect(estimates(found)['large']).toBeLessThan(1.3)
})

test('a single label differs from the posts without it', () => {
  const valuesOf = (topic: string) => (topic === 'events' ? ['Sale'] : [])
  const found = groupsOf(posts(4, 80, { effects: { events: 2.5 }, valuesOf }))
  expect(found.map(({ value }) => value)).toEqual(['Sale'])
  expect(found[0]?.estimate).toBeGreaterThan(1.2)
})

test('values that differ only in case are one, and those with fewer than 5 posts come last', () => {
  const one = (value: string, engagement: number, rate: number | null = null): TaggedPost => ({
    like: 'one',
    values: [value],
    engagement,
    rate,
  })
  const found = groupsOf([
    one('Tea', 10, 0.1),
    ...Array.from({ length: 4 }, () => one('tea', 10)),
    one('Cake', 900),
    one('cake', 900),
  ])
  expect(found.map(({ value, n, isFew, median }) => [value, n, isFew, median])).toEqual([
    ['Tea', 5, false, 0.1],
    ['Cake', 2, true, null],
  ])
})
