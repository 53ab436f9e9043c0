import type { Steps } from '../../core/platform/pieces.ts'
import { addDays, wallTime } from '../../publishing/scheduler/rules.ts'
import type { BestTimes, Factor, Prediction, PredictionReason, SlotOfWeek } from './api.ts'

// What an account's own posts say about the next one. Pure, and deterministic for the same posts.

// ---- the traits of a post

/** The value of each factor. Null means unknown, and has no effect. */
export type Traits = Record<Factor, string | null>

/** A measured post. `y` is `scaled` of its engagement. */
export interface MeasuredSample {
  traits: Traits
  y: number
}

/** The factors, in the order in which their effects are removed. */
export const FACTORS = ['kind', 'topic', 'tone', 'slot', 'length', 'link', 'question'] as const satisfies Factor[]

/** The number of characters from which a text is medium, and long. */
const MEDIUM = 80
const LONG = 240

const LINK = /https?:\/\/|\bwww\./iu
const QUESTION = /[?؟]/u

const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')

/** Returns the slot of a time: four hours of a weekday or of the weekend. Saturday and Sunday are the weekend. */
export function slotOf(at: Date, zone: string): SlotOfWeek {
  const wall = wallTime(at, zone)
  const isWeekend = new Date(`${wall.slice(0, 10)}T00:00Z`).getUTCDay() % 6 === 0
  const hour = Math.floor(Number(wall.slice(11, 13)) / 4) * 4
  return `${isWeekend ? 'weekend' : 'weekday'}-${String(hour).padStart(2, '0')}` as SlotOfWeek
}

/** Returns the next beginning of a slot, as a wall time of the zone. */
export function nextOfSlot(slot: SlotOfWeek, now: Date, zone: string): string {
  const wall = wallTime(now, zone)
  for (let date = wall.slice(0, 10); ; date = addDays(date, 1)) {
    const next = `${date}T${slot.slice(-2)}:00`
    // A date has the same weekday in every zone.
    if (next > wall && slotOf(new Date(`${next}Z`), 'UTC') === slot) return next
  }
}

export function traitsOf(
  post: { kind: string; topic: string | null; tone: string | null; text: string; at: Date | null },
  zone: string,
): Traits {
  const letters = Array.from(post.text).length
  return {
    kind: post.kind,
    topic: post.topic,
    tone: post.tone,
    slot: post.at && slotOf(post.at, zone),
    length: letters < MEDIUM ? 'short' : letters < LONG ? 'medium' : 'long',
    link: yesOrNo(LINK.test(post.text)),
    question: yesOrNo(QUESTION.test(post.text.trimStart().split('\n', 1)[0] ?? '')),
  }
}

/** Puts engagement on the scale on which effects add up. */
export const scaled = (engagement: number) => Math.log(1 + engagement)
const unscaled = (y: number) => Math.max(0, Math.round(Math.exp(y) - 1))

// ---- effects of groups

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

export interface Group {
  n: number
  /** How far the group is from the mean of all, shrunk towards it. The fewer posts it has, the more. */
  effect: number
  /** The standard deviation of the true effect. */
  error: number
}

/**
 * Returns the effect of each group: (mean − mean of all) · τ²/(τ² + σ²/n). σ² is the variance within groups, and τ²
 * that between them, estimated by moments and at least 0. Values without a group are left out.
 */
export function effectsOf(values: readonly { group: string | null; y: number }[]): Map<string, Group> {
  const groups = new Map<string, number[]>()
  for (const { group, y } of values) {
    if (group === null) continue
    const members = groups.get(group)
    if (members) members.push(y)
    else groups.set(group, [y])
  }
  const members = [...groups.values()]
  const all = members.flat()
  const overall = mean(all)
  const means = members.map(mean)
  const within = members.reduce((sum, ys, i) => sum + ys.reduce((part, y) => part + (y - (means[i] ?? 0)) ** 2, 0), 0)
  const between = members.reduce((sum, ys, i) => sum + ys.length * ((means[i] ?? 0) - overall) ** 2, 0)
  const free = all.length - members.length
  const variance = free > 0 ? within / free : 0
  const spread = all.length - members.reduce((sum, ys) => sum + ys.length ** 2, 0) / all.length
  // Unless some group has two posts, effects cannot be distinguished from chance.
  const true2 = free > 0 && spread > 0 ? Math.max(0, (between - (members.length - 1) * variance) / spread) : 0
  return new Map(
    [...groups.keys()].map((group, i) => {
      const n = members[i]?.length ?? 0
      const kept = true2 === 0 ? 0 : true2 / (true2 + variance / n)
      return [group, { n, effect: ((means[i] ?? 0) - overall) * kept, error: Math.sqrt((kept * variance) / n) }]
    }),
  )
}

interface Fit {
  overall: number
  /** What each value of each factor adds. */
  effects: Map<Factor, Map<string, Group>>
}

/** Removes the mean, and then the effects of each factor in turn from what the previous ones leave. */
function fit(samples: readonly MeasuredSample[], factors: readonly Factor[] = FACTORS): Fit & { left: number[] } {
  const overall = mean(samples.map(({ y }) => y))
  const left = samples.map(({ y }) => y - overall)
  const effects: Fit['effects'] = new Map()
  for (const factor of factors) {
    const groups = effectsOf(samples.map(({ traits }, i) => ({ group: traits[factor], y: left[i] ?? 0 })))
    effects.set(factor, groups)
    samples.forEach(({ traits }, i) => {
      left[i] = (left[i] ?? 0) - (groups.get(traits[factor] ?? '')?.effect ?? 0)
    })
  }
  return { overall, effects, left }
}

const expected = ({ overall, effects }: Fit, traits: Traits) =>
  FACTORS.reduce((sum, factor) => sum + (effects.get(factor)?.get(traits[factor] ?? '')?.effect ?? 0), overall)

// ---- the prediction of a post

/** The minimum number of measured posts for a prediction. */
export const POSTS_NEEDED = 20
/** The share of posts that the interval should contain. */
const HELD = 0.8
/** Smaller effects are not worth showing to people. */
const WORTH_TELLING = Math.log(1.05)
const MOST_REASONS = 3

/** Returns the median of values, or null if there are none. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)]
  const lower = sorted[Math.ceil(middle) - 1]
  return upper === undefined || lower === undefined ? null : (upper + lower) / 2
}

/**
 * Returns half the width of the interval: the ⌈0.8 (n + 1)⌉-th smallest error when each post is predicted from the
 * others.
 */
function* widthOf(samples: readonly MeasuredSample[]): Steps<number> {
  const errors: number[] = []
  for (const [i, { traits, y }] of samples.entries()) {
    errors.push(Math.abs(y - expected(fit(samples.toSpliced(i, 1)), traits)))
    yield
  }
  const rank = Math.min(Math.ceil(HELD * (samples.length + 1)), samples.length)
  return errors.toSorted((a, b) => a - b)[rank - 1] ?? 0
}

type Told = (Prediction & { verdict: 'predicted' }) | { verdict: 'too_little_data'; have: number; need: number }

/**
 * Predicts the engagement of a post from the measured posts of its account, or says how many are missing. With 200
 * posts this takes about a fifth of a second.
 */
export function* predict(samples: readonly MeasuredSample[], traits: Traits): Steps<Told> {
  if (samples.length < POSTS_NEEDED) return { verdict: 'too_little_data', have: samples.length, need: POSTS_NEEDED }
  const fitted = fit(samples)
  const middle = expected(fitted, traits)
  const width = yield* widthOf(samples)
  const below = samples.filter(({ y }) => y < middle).length
  return {
    verdict: 'predicted',
    low: unscaled(middle - width),
    middle: unscaled(middle),
    high: unscaled(middle + width),
    usual: unscaled(medianOf(samples.map(({ y }) => y)) ?? 0),
    n: samples.length,
    percentile: Math.round((below / samples.length) * 100),
    reasons: reasonsOf(fitted, traits),
  }
}

function reasonsOf({ effects }: Fit, traits: Traits): PredictionReason[] {
  return FACTORS.flatMap((factor) => {
    const value = traits[factor]
    const group = value === null ? undefined : effects.get(factor)?.get(value)
    if (value === null || !group || Math.abs(group.effect) < WORTH_TELLING) return []
    return [{ factor, value, ratio: ratioOf(group), n: group.n }]
  })
    .toSorted((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)))
    .slice(0, MOST_REASONS)
}

/** Within how many standard deviations of its estimate the true effect of a group is, four times in five. */
const DEVIATIONS_HELD = 1.2816

/** Returns by how much a group multiplies the usual engagement. */
export const ratioOf = ({ effect }: Pick<Group, 'effect'>) => Math.round(Math.exp(effect) * 100) / 100

/** Returns the range that contains the true ratio four times in five. */
const rangeOf = ({ effect, error }: Group) => ({
  low: ratioOf({ effect: effect - error * DEVIATIONS_HELD }),
  high: ratioOf({ effect: effect + error * DEVIATIONS_HELD }),
})

// ---- accuracy

/** A prediction with its outcome. */
export interface PredictedOutcome {
  low: number
  middle: number
  high: number
  usual: number
  actual: number
}

/** The minimum number of predictions with an outcome for their skill to count. */
const SKILL_COUNTS = 20

/**
 * Returns how many outcomes were inside their interval. `skill` is the share of the error of "always the median" that
 * predictions avoid: 1 at best, 0 if they are no better. It is null without predictions, or if the median is always
 * right.
 */
export function accuracyOf(outcomes: readonly PredictedOutcome[]) {
  const errorOf = (name: 'middle' | 'usual') =>
    outcomes.reduce((sum, post) => sum + Math.abs(scaled(post.actual) - scaled(post[name])), 0)
  const simple = errorOf('usual')
  return {
    inside: outcomes.filter(({ low, high, actual }) => low <= actual && actual <= high).length,
    of: outcomes.length,
    skill: simple === 0 ? null : Math.round((1 - errorOf('middle') / simple) * 100) / 100,
  }
}

/** Whether predictions proved no better than "always the median", so that only their interval is shown. */
export const hasNoSkill = ({ of, skill }: { of: number; skill: number | null }) =>
  of >= SKILL_COUNTS && skill !== null && skill <= 0

/** Whether predictions proved better than "always the median". */
export const hasSkill = ({ of, skill }: { of: number; skill: number | null }) =>
  of >= SKILL_COUNTS && skill !== null && skill > 0

// ---- best times

/** The minimum number of measured posts to compare times. */
export const POSTS_FOR_TIMES = 30
/** The minimum number of posts in a slot that is compared. */
const POSTS_IN_SLOT = 3
const SHUFFLES = 2000
/** Times differ if at most this share of the shuffles differs as much. */
const BY_CHANCE = 0.1
const MOST_TIMES = 3

/** Returns a generator of numbers between 0 and 1. The same seed gives the same numbers (mulberry32). */
export function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Returns the best times of an account: slots with more engagement than its mean, best first. The effects of kind,
 * topic and tone are removed first, so that the time of reels gets no credit for the reels. No slot is named unless
 * slots differ by more than shuffling the posts among them gives.
 */
export function bestTimesOf(samples: readonly MeasuredSample[]): Omit<BestTimes, 'accountId' | 'timezone'> {
  const progress = { have: samples.length, need: POSTS_FOR_TIMES }
  if (samples.length < POSTS_FOR_TIMES) return { verdict: 'too_little_data', ...progress, slots: [] }
  const { left } = fit(samples, ['kind', 'topic', 'tone'])
  const values = samples.map(({ traits }, i) => ({ group: traits.slot, y: left[i] ?? 0 }))
  const sizes = new Map<string, number>()
  for (const { group } of values) if (group !== null) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const compared = values.filter(({ group }) => (sizes.get(group ?? '') ?? 0) >= POSTS_IN_SLOT)
  const slots = [...effectsOf(compared)]
    .filter(([, { effect }]) => effect > 0)
    .toSorted(([, a], [, b]) => b.effect - a.effect)
    .slice(0, MOST_TIMES)
    .map(([slot, group]) => ({ slot: slot as SlotOfWeek, n: group.n, ratio: ratioOf(group), ...rangeOf(group) }))
  if (slots.length === 0 || !differByMoreThanChance(compared))
    return { verdict: 'no_difference', ...progress, slots: [] }
  return { verdict: 'slots', ...progress, slots }
}

/** Tests by permutation whether groups differ by more than chance. It stops as soon as the answer is certain. */
function differByMoreThanChance(values: readonly { group: string | null; y: number }[]): boolean {
  const names = [...new Set(values.map(({ group }) => group))]
  if (names.length < 2) return false
  const groups = Uint8Array.from(values, ({ group }) => names.indexOf(group))
  const ys = Float64Array.from(values, ({ y }) => y)
  const sizes = new Float64Array(names.length)
  for (const group of groups) sizes[group]! += 1
  const sums = new Float64Array(names.length)
  /** The sum of squares between groups grows with this, because shuffling keeps the mean. */
  const difference = () => {
    sums.fill(0)
    for (let i = 0; i < ys.length; i += 1) sums[groups[i]!]! += ys[i]!
    let sum = 0
    for (let group = 0; group < sums.length; group += 1) sum += sums[group]! ** 2 / sizes[group]!
    return sum
  }
  const real = difference() - 1e-9
  const most = BY_CHANCE * (SHUFFLES + 1)
  const next = numbersOf(values.length)
  let asMuch = 1
  for (let shuffle = 0; shuffle < SHUFFLES && asMuch <= most; shuffle += 1) {
    for (let i = ys.length - 1; i > 0; i -= 1) {
      const other = Math.floor(next() * (i + 1))
      const y = ys[i]!
      ys[i] = ys[other]!
      ys[other] = y
    }
    if (difference() >= real) asMuch += 1
  }
  return asMuch <= most
}
