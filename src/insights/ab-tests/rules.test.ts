import { expect, test } from 'vitest'
import { numbersOf } from '../predictions/rules.ts'
import { finish, turnsDuring } from '../../../test/turns.ts'
import { powerOf } from './power.ts'
import { isWeekAfter, judge, resultOf as result, type TestedPost } from './rules.ts'

const resultOf = (differences: readonly number[]) => finish(result(differences))

const normals = (seed: number) => {
  const next = numbersOf(seed)
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}
const blocksOf = (seed: number, { n = 8, effect = 0, sigma = 0.7 } = {}) => {
  const normal = normals(seed)
  return Array.from({ length: n }, () => effect + sigma * Math.SQRT2 * normal())
}

test('with pure noise at most 7 % of 1,000 tests name a winner; the plain mean, as a control, always names one', () => {
  let named = 0
  let bare = 0
  for (let seed = 1; seed <= 1000; seed += 1) {
    const blocks = blocksOf(seed)
    if (['A', 'B'].includes(resultOf(blocks).verdict)) named += 1
    if (blocks.reduce((sum, block) => sum + block, 0) !== 0) bare += 1
  }
  expect(named).toBeLessThanOrEqual(70)
  expect(named).toBeGreaterThan(10)
  expect(bare).toBe(1000)
})

test('a true difference is found as often as the form predicts', async () => {
  for (const [sigma, n] of [
    [0.4, 8],
    [0.7, 12],
  ] as const) {
    const promised = (await powerOf(sigma, n)).find(({ ratio }) => ratio === 2)!.power
    const found = Array.from({ length: 400 }, (_, seed) =>
      resultOf(blocksOf(seed + 5000, { n, effect: Math.log(2), sigma })),
    ).filter(({ verdict }) => verdict === 'A').length
    expect(found / 400).toBeGreaterThan(promised - 0.08)
    expect(found / 400).toBeLessThan(promised + 0.08)
    expect(promised).toBeGreaterThan(0.5)
  }
})

test('the forecast of a test is simulated once, since it depends only on the deviation and the blocks', async () => {
  const forecast = powerOf(0.5, 20)
  expect(powerOf(0.5, 20)).toBe(forecast)
  expect(powerOf(0.5, 19)).not.toBe(forecast)
  expect(powerOf(0.51, 20)).not.toBe(forecast)
  await forecast
})

test('other work gets turns while a forecast is simulated', async () => {
  expect(await turnsDuring(() => powerOf(0.63, 20))).toBeGreaterThan(0)
})

test('the interval contains the true ratio in about 95 % of tests, and contains 1 exactly if no difference is found', () => {
  let held = 0
  for (let seed = 1; seed <= 300; seed += 1) {
    const { low, high, verdict } = resultOf(blocksOf(seed + 9000, { effect: Math.log(1.5), sigma: 0.4 }))
    if (low! <= 1.5 && 1.5 <= high!) held += 1
    // An end that is rounded to 1 can be on either side of it.
    if (low !== 1 && high !== 1) expect(low! < 1 && 1 < high!, `${seed}`).toBe(verdict === 'no_difference')
  }
  expect(held / 300).toBeGreaterThan(0.91)
  expect(held / 300).toBeLessThan(0.99)
})

test('fewer than six blocks show nothing; six equal ones are enough', () => {
  expect(resultOf([1, 1, 1, 1, 1])).toEqual({
    verdict: 'too_few_blocks',
    n: 5,
    ratio: null,
    low: null,
    high: null,
    p: null,
  })
  expect(resultOf([1, 1, 1, 1, 1, 1])).toMatchObject({ verdict: 'A', n: 6, p: 0.031 })
  expect(resultOf([-1, -1, -1, -1, -1, -1])).toMatchObject({ verdict: 'B', ratio: 0.368 })
  // Twenty blocks are also counted exactly: 2 of 2^20 signs.
  expect(resultOf(Array.from({ length: 20 }, () => 0.2))).toMatchObject({ verdict: 'A', p: 0 })
})

const conditions = {
  kind: 'post',
  slot: 'weekday-08',
  trait: 'question',
  zone: 'Europe/Berlin',
  now: new Date('2026-12-20T12:00Z'),
} as const
const post = (at: string | null, over: Partial<TestedPost> = {}): TestedPost => ({
  isLost: false,
  publishedAt: at === null ? null : new Date(at),
  kind: 'post',
  text: 'Ready?',
  topic: null,
  tone: null,
  engagement: 20,
  ...over,
})
const first = post('2026-12-01T08:00Z')
const second = post('2026-12-08T08:00Z', { text: 'Ready.', engagement: 10 })
const judged = (block: { first?: TestedPost | null; second?: TestedPost | null; firstIsA?: boolean }) =>
  judge({ firstIsA: true, first, second, ...block }, conditions)

test('a block counts, with the variants by its coin, if both posts kept its conditions', () => {
  const difference = Math.log(21 / 11)
  expect(judged({})).toEqual({ state: 'counted', difference: expect.closeTo(difference) })
  expect(judged({ firstIsA: false })).toEqual({ state: 'counted', difference: expect.closeTo(-difference) })
  expect(judged({ second: null })).toEqual({ state: 'open' })
  expect(judged({ second: post(null) })).toEqual({ state: 'open' })
  expect(judged({ first: post('2026-12-01T08:00Z', { isLost: true }) })).toEqual({ state: 'dropped', why: 'failed' })
  // These are at 12:30 in Berlin, in the same week, two weeks later, and a reel.
  expect(judged({ second: post('2026-12-08T11:30Z', { text: 'Ready.' }) })).toEqual({ state: 'dropped', why: 'moved' })
  expect(judged({ second: post('2026-12-02T08:00Z', { text: 'Ready.' }) })).toEqual({ state: 'dropped', why: 'moved' })
  expect(judged({ second: post('2026-12-15T08:00Z', { text: 'Ready.' }) })).toEqual({ state: 'dropped', why: 'moved' })
  expect(judged({ second: post('2026-12-08T08:00Z', { text: 'Ready.', kind: 'reel' }) })).toEqual({
    state: 'dropped',
    why: 'other_kind',
  })
  expect(judged({ second: post('2026-12-08T08:00Z', { text: 'Ready?' }) })).toEqual({ state: 'dropped', why: 'same' })
  expect(judged({ second: post('2026-12-08T08:00Z', { text: 'Ready.', engagement: null }) })).toEqual({
    state: 'dropped',
    why: 'unmeasured',
  })
  expect(
    judge(
      { firstIsA: true, first, second: { ...second, engagement: null } },
      { ...conditions, now: new Date('2026-12-16T12:00Z') },
    ),
  ).toEqual({ state: 'open' })
})

test('weeks begin on Monday in the time zone of the workspace', () => {
  const after = (one: string, other: string) => isWeekAfter(new Date(one), new Date(other), 'Europe/Berlin')
  expect(after('2026-12-04T08:00Z', '2026-12-07T08:00Z')).toBe(true)
  expect(after('2026-12-01T08:00Z', '2026-12-13T22:59Z')).toBe(true)
  expect(after('2026-12-01T08:00Z', '2026-12-13T23:01Z')).toBe(false)
  expect(after('2026-12-07T08:00Z', '2026-12-04T08:00Z')).toBe(false)
})
