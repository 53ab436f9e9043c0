import { expect, test } from 'vitest'
import { sized } from '../../../test/tier.ts'
import { finish } from '../../../test/turns.ts'
import {
  accuracyOf,
  bestTimesOf,
  effectsOf,
  hasNoSkill,
  numbersOf,
  predict as predictSteps,
  type MeasuredSample,
  scaled,
  slotOf,
  traitsOf,
} from './rules.ts'

const predict = (...of: Parameters<typeof predictSteps>) => finish(predictSteps(...of))

// Accounts are simulated, always from the same seeds.

const SLOTS = ['weekday', 'weekend'].flatMap((days) =>
  ['00', '04', '08', '12', '16', '20'].map((at) => `${days}-${at}`),
)

/** People do not post at night. */
const DAY_SLOTS = SLOTS.filter((slot) => !/-0[04]$/.test(slot))

/** Returns a number from the standard normal distribution. */
function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}

interface World {
  /** The standard deviation of the noise of a post. */
  noise: number
  /** By how much each group multiplies the usual engagement. */
  effects?: Record<string, number>
}

/**
 * Returns the posts of an account. A post's engagement is 200, multiplied by the effects of its groups and by noise.
 */
function account(seed: number, posts: number, { noise, effects = {} }: World): MeasuredSample[] {
  const next = numbersOf(seed)
  const oneOf = (values: readonly string[]) => values[Math.floor(next() * values.length)] ?? ''
  return Array.from({ length: posts }, () => {
    const traits = {
      kind: oneOf(['post', 'reel', 'pictures']),
      topic: oneOf(['bread', 'coffee', 'events', 'team']),
      tone: oneOf(['warm', 'plain']),
      slot: oneOf(DAY_SLOTS),
      length: oneOf(['short', 'medium', 'long']),
      link: oneOf(['yes', 'no']),
      question: oneOf(['yes', 'no']),
    }
    const added = Object.entries(traits).reduce(
      (sum, [factor, value]) => sum + Math.log(effects[`${factor} ${value}`] ?? 1),
      0,
    )
    return { traits, y: Math.log(200) + added + noise * normal(next) }
  })
}

const REAL = {
  noise: 0.7,
  effects: { 'kind reel': 2, 'topic events': 0.6, 'question yes': 1.5, 'slot weekday-20': 1.4 },
}
const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed + 1)
const share = (found: readonly boolean[]) => found.filter(Boolean).length / found.length

/** Returns the share of new posts that fall inside their interval. */
function coverage(posts: number, count: number): number {
  return share(
    seeds(count).map((seed) => {
      const samples = account(seed, posts + 1, REAL)
      const post = samples.pop()
      if (!post) throw new Error('There is no new post')
      const told = predict(samples, post.traits)
      if (told.verdict !== 'predicted') throw new Error('Too little data')
      return scaled(told.low) <= post.y && post.y <= scaled(told.high)
    }),
  )
}

test.each(sized([20], [20, 30, 60]))('intervals from %i posts contain 74 to 86 percent of new posts', (posts) => {
  const held = coverage(posts, posts === 60 ? 300 : sized(200, 600))
  expect(held).toBeGreaterThanOrEqual(0.74)
  expect(held).toBeLessThanOrEqual(0.86)
})

test('with fewer than 20 posts nothing is predicted, and the answer says how many are missing', () => {
  const samples = account(1, 20, REAL)
  const traits = samples[0]?.traits
  if (!traits) throw new Error('There is no post')
  expect(predict(samples.slice(1), traits)).toEqual({ verdict: 'too_little_data', have: 19, need: 20 })
  expect(predict(samples, traits)).toMatchObject({ verdict: 'predicted', n: 20 })
})

test('a planted effect moves the prediction and is its first reason', () => {
  const world = { noise: 0.4, effects: { 'kind reel': 3 } }
  const found = seeds(sized(60, 200)).map((seed) => {
    const samples = account(seed, 60, world)
    const of = (kind: string) => predict(samples, { ...account(seed, 1, world)[0]!.traits, kind })
    const reel = of('reel')
    const post = of('post')
    if (reel.verdict !== 'predicted' || post.verdict !== 'predicted') return false
    const reason = reel.reasons[0]
    return reel.middle > 2 * post.middle && reason?.factor === 'kind' && reason.value === 'reel' && reason.ratio > 1.4
  })
  expect(share(found)).toBeGreaterThanOrEqual(0.95)
})

test('the fewer posts a group has, the more its effect is shrunk towards the mean, and to zero if there is only chance', () => {
  const posts = (group: string, count: number, at: number) =>
    Array.from({ length: count }, (_, i) => ({ group, y: at + (i % 2 === 0 ? 0.5 : -0.5) }))
  const effects = effectsOf([...posts('many', 40, 1), ...posts('few', 2, 1), ...posts('others', 40, 0)])
  const kept = (group: string) => effects.get(group)?.effect ?? 0
  expect(kept('many')).toBeGreaterThan(0.3)
  expect(kept('few')).toBeLessThan(0.9 * kept('many'))
  const sizes = (values: { group: string; y: number }[]) =>
    [...effectsOf(values).values()].map(({ effect }) => Math.abs(effect))
  expect(sizes([...posts('a', 4, 1), ...posts('b', 4, 1)])).toEqual([0, 0])
  expect(sizes([...posts('a', 1, 1), ...posts('b', 1, 9)])).toEqual([0, 0])
})

test('predictions have a smaller error than the mean of all posts', () => {
  let predicted = 0
  let overall = 0
  for (const seed of seeds(sized(150, 300))) {
    const samples = account(seed, 41, REAL)
    const post = samples.pop()!
    const told = predict(samples, post.traits)
    if (told.verdict !== 'predicted') throw new Error('Too little data')
    predicted += (scaled(told.middle) - post.y) ** 2
    overall += (samples.reduce((sum, { y }) => sum + y, 0) / samples.length - post.y) ** 2
  }
  expect(predicted).toBeLessThan(0.98 * overall)
})

// ---- best times

/** Returns the slot with the highest mean, which always exists. A tool that ignores chance would name it. */
function bareBest(samples: readonly MeasuredSample[]): string | null {
  const means = new Map<string, number>()
  for (const { traits } of samples) {
    const of = samples.filter((other) => other.traits.slot === traits.slot)
    means.set(traits.slot ?? '', of.reduce((sum, { y }) => sum + y, 0) / of.length)
  }
  return [...means].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

test('pure noise gives no best time for 88 percent of 1,000 accounts, while the plain maximum names one for each', () => {
  const accounts = seeds(1000).map((seed) => account(seed, 40, { noise: 0.7 }))
  expect(share(accounts.map((samples) => bestTimesOf(samples).verdict === 'no_difference'))).toBeGreaterThanOrEqual(
    0.88,
  )
  expect(share(accounts.slice(0, 100).map((samples) => bareBest(samples) === null))).toBeLessThan(0.88)
})

test('a planted best time is found', () => {
  const world = { noise: 0.5, effects: { 'slot weekday-20': 2.5 } }
  const found = seeds(100).map((seed) => bestTimesOf(account(seed, 80, world)).slots[0]?.slot === 'weekday-20')
  expect(share(found)).toBeGreaterThanOrEqual(0.9)
})

test('the range of a named time contains its true ratio about four times in five', () => {
  const held = seeds(sized(200, 400)).flatMap((seed) => {
    const next = numbersOf(seed + 9_000)
    const truth = new Map(DAY_SLOTS.map((slot) => [slot, 0.3 * normal(next)]))
    const effects = Object.fromEntries([...truth].map(([slot, effect]) => [`slot ${slot}`, Math.exp(effect)]))
    const mean = [...truth.values()].reduce((sum, effect) => sum + effect, 0) / truth.size
    return bestTimesOf(account(seed, 90, { noise: 0.5, effects })).slots.map(({ slot, low, high }) => {
      const ratio = Math.exp((truth.get(slot) ?? 0) - mean)
      return low <= ratio && ratio <= high
    })
  })
  expect(held.length).toBeGreaterThan(sized(150, 300))
  expect(share(held)).toBeGreaterThan(0.7)
  expect(share(held)).toBeLessThan(0.9)
})

test('a successful kind of post does not make its hour a best time', () => {
  const named = seeds(200).map((seed) => {
    const samples = account(seed, 60, { noise: 0.4, effects: { 'kind reel': 4 } })
    // All reels are published in the evening, along with as many other posts.
    for (const { traits } of samples) if (traits.kind === 'reel') traits.slot = 'weekday-20'
    return bestTimesOf(samples).verdict === 'slots'
  })
  expect(share(named)).toBeLessThan(0.3)
})

test('times are compared from 30 posts on, and a slot needs three', () => {
  const world = { noise: 0.1, effects: { 'slot weekday-20': 3 } }
  const samples = account(3, 60, world)
  expect(bestTimesOf(samples.slice(0, 29))).toEqual({ verdict: 'too_little_data', have: 29, need: 30, slots: [] })
  const others = samples.filter(({ traits }) => traits.slot !== 'weekday-20')
  const evening = samples.filter(({ traits }) => traits.slot === 'weekday-20')
  expect(bestTimesOf([...others, ...evening.slice(0, 3)]).slots[0]).toMatchObject({ slot: 'weekday-20', n: 3 })
  expect(bestTimesOf([...others, ...evening.slice(0, 2)]).slots).not.toContainEqual(
    expect.objectContaining({ slot: 'weekday-20' }),
  )
})

test('the same posts always give the same answer', () => {
  const samples = account(11, 60, REAL)
  expect(bestTimesOf(samples)).toEqual(bestTimesOf(account(11, 60, REAL)))
})

// ---- traits and accuracy

test("a slot is four hours on the clock of the workspace's time zone", () => {
  expect(slotOf(new Date('2026-03-06T21:30:00Z'), 'UTC')).toBe('weekday-20')
  expect(slotOf(new Date('2026-03-06T21:30:00Z'), 'Asia/Dubai')).toBe('weekend-00')
  expect(slotOf(new Date('2026-03-09T07:59:00Z'), 'UTC')).toBe('weekday-04')
})

test('traits come from the text and the time', () => {
  const post = { kind: 'post', topic: null, tone: 'warm', at: null }
  expect(traitsOf({ ...post, text: 'Which bread today?\nhttps://bakery.example' }, 'UTC')).toEqual({
    kind: 'post',
    topic: null,
    tone: 'warm',
    slot: null,
    length: 'short',
    link: 'yes',
    question: 'yes',
  })
  expect(traitsOf({ ...post, text: `${'Bread. '.repeat(40)}\nWhich one?` }, 'UTC')).toMatchObject({
    length: 'long',
    link: 'no',
    question: 'no',
  })
  expect(traitsOf({ ...post, text: 'أي خبز تفضل؟' }, 'UTC')).toMatchObject({ question: 'yes' })
})

test('the accuracy counts outcomes inside the interval, and its skill is the error saved against the median', () => {
  const outcome = { low: 50, middle: 100, high: 200, usual: 50 }
  expect(accuracyOf([])).toEqual({ inside: 0, of: 0, skill: null })
  expect(
    accuracyOf([
      { ...outcome, actual: 100 },
      { ...outcome, actual: 201 },
    ]),
  ).toMatchObject({ inside: 1, of: 2 })
  expect(accuracyOf([{ ...outcome, actual: 100 }]).skill).toBe(1)
  expect(accuracyOf([{ ...outcome, actual: 50 }]).skill).toBeNull()
  expect(hasNoSkill({ of: 19, skill: -1 })).toBe(false)
  expect(hasNoSkill({ of: 20, skill: 0 })).toBe(true)
  expect(hasNoSkill({ of: 20, skill: 0.1 })).toBe(false)
})
