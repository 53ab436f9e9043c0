import type { Steps } from '../../core/platform/pieces.ts'
import type { ContentKind } from '../../networks/network.ts'
import { wallTime } from '../../publishing/scheduler/rules.ts'
import { numbersOf, scaled, slotOf, traitsOf } from '../predictions/rules.ts'
import type { ABResult, DroppedBlock, TestKind, Trait } from './api.ts'

// What a test of posts shows. Pure.

const DAY = 86_400_000

// ---- blocks

/** Whether the second time is in the week after the first. Weeks begin on Monday. */
export function isWeekAfter(first: Date, second: Date, zone: string): boolean {
  const weekOf = (time: Date) => Math.floor((Date.parse(`${wallTime(time, zone).slice(0, 10)}T00:00Z`) / DAY + 3) / 7)
  return weekOf(second) - weekOf(first) === 1
}

/** A post of a block, with what is known about it on the account. */
export interface TestedPost {
  /** Whether it did not go live and will not be tried again. */
  isLost: boolean
  publishedAt: Date | null
  kind: ContentKind | null
  text: string
  topic: string | null
  tone: string | null
  /** The engagement after 7 days. */
  engagement: number | null
}

export interface Block {
  firstIsA: boolean
  first: TestedPost | null
  second: TestedPost | null
}

interface Conditions {
  kind: TestKind
  slot: string
  trait: Trait
  zone: string
  now: Date
}

/** From this age on, a reading after 7 days is no longer expected. */
const MEASURED_BY = 9 * DAY

/** What becomes of a block. Its difference is ln of the ratio of A's engagement to B's. */
type JudgedBlock =
  | { state: 'open' }
  | { state: 'dropped'; why: DroppedBlock }
  | { state: 'counted'; difference: number }

export function judge(block: Block, conditions: Conditions): JudgedBlock {
  const { first, second, firstIsA } = block
  if (!first || !second) return { state: 'open' }
  const { kind, slot, trait, zone, now } = conditions
  if (first.isLost || second.isLost) return { state: 'dropped', why: 'failed' }
  if (!first.publishedAt || !second.publishedAt) return { state: 'open' }
  const posts = [first, second]
  const isInSlot = posts.every((post) => post.publishedAt && slotOf(post.publishedAt, zone) === slot)
  if (!isInSlot || !isWeekAfter(first.publishedAt, second.publishedAt, zone)) return { state: 'dropped', why: 'moved' }
  if (posts.some((post) => post.kind !== null && post.kind !== kind)) return { state: 'dropped', why: 'other_kind' }
  const late = posts.some(
    ({ publishedAt, engagement }) => engagement === null && now.getTime() - publishedAt!.getTime() > MEASURED_BY,
  )
  if (late) return { state: 'dropped', why: 'unmeasured' }
  if (first.engagement === null || second.engagement === null) return { state: 'open' }
  const [one, other] = posts.map((post) => traitsOf({ ...post, kind, at: post.publishedAt }, zone)[trait])
  if (one !== null && one === other) return { state: 'dropped', why: 'same' }
  const difference = scaled(first.engagement) - scaled(second.engagement)
  return { state: 'counted', difference: firstIsA ? difference : -difference }
}

// ---- the exact test

/** Fewer blocks can never be significant: the two most extreme of 2^5 sign patterns are 6 %. */
const FEWEST_TOLD = 6
const LEVEL = 0.05

/** Returns the share of all 2^n sign patterns whose sum is at least as far from 0 as that of the values. */
function signFlip(values: readonly number[]): number {
  const total = values.reduce((sum, value) => sum + value, 0)
  const limit = Math.abs(total) - 1e-9
  // Each step flips one sign (Gray code). The first sign stays, because the sums are symmetric.
  const signs = values.map(() => 1)
  const steps = 2 ** (values.length - 1)
  let sum = total
  let extreme = 1
  for (let step = 1; step < steps; step += 1) {
    const turned = 31 - Math.clz32(step & -step) + 1
    signs[turned]! *= -1
    sum += 2 * signs[turned]! * values[turned]!
    if (Math.abs(sum) >= limit) extreme += 1
  }
  return extreme / steps
}

/** Returns the end of the interval on one side: the farthest shift that the test does not reject. */
function* endOf(values: readonly number[], middle: number, side: 1 | -1): Steps<number> {
  const isKept = (shift: number) => signFlip(values.map((value) => value - middle - side * shift)) > LEVEL
  let [kept, refused] = [0, Math.max(...values.map((value) => Math.abs(value - middle))) + 1]
  for (let step = 0; step < 24; step += 1) {
    yield
    const half = (kept + refused) / 2
    if (isKept(half)) kept = half
    else refused = half
  }
  return middle + side * kept
}

export const rounded = (value: number) => Math.round(value * 1000) / 1000

/**
 * Computes the result of a test from the differences of the blocks that count. With 20 of them this takes about a fifth
 * of a second.
 */
export function* resultOf(differences: readonly number[]): Steps<ABResult> {
  const n = differences.length
  if (n < FEWEST_TOLD) return { verdict: 'too_few_blocks', n, ratio: null, low: null, high: null, p: null }
  const middle = differences.reduce((sum, value) => sum + value, 0) / n
  const p = signFlip(differences)
  return {
    verdict: p > LEVEL ? 'no_difference' : middle > 0 ? 'A' : 'B',
    n,
    ratio: rounded(Math.exp(middle)),
    low: rounded(Math.exp(yield* endOf(differences, middle, -1))),
    high: rounded(Math.exp(yield* endOf(differences, middle, 1))),
    p: rounded(p),
  }
}

// ---- power

/** The standard deviation assumed for an account with too few posts. */
export const USUAL_SIGMA = 0.7
/** From this number of posts on, an account's own standard deviation is used. */
export const POSTS_FOR_SIGMA = 20
const RATIOS = [1.25, 1.5, 2, 3]
const TRIALS = 400
/** With more blocks, sign patterns are sampled instead of counted. */
const COUNTED_BLOCKS = 10
const DRAWN = 400

/** Returns the standard deviation of ln(1 + engagement) of posts. */
export function sigmaOf(engagements: readonly number[]): { sigma: number; n: number } {
  const n = engagements.length
  if (n < POSTS_FOR_SIGMA) return { sigma: USUAL_SIGMA, n }
  const ys = engagements.map(scaled)
  const mean = ys.reduce((sum, y) => sum + y, 0) / n
  return { sigma: rounded(Math.sqrt(ys.reduce((sum, y) => sum + (y - mean) ** 2, 0) / (n - 1))), n }
}

export interface Power {
  ratio: number
  power: number
}

/** Returns for each ratio the share of simulated tests that find it. The same arguments give the same shares. */
export function* simulatePower(sigma: number, blocks: number): Steps<Power[]> {
  const next = numbersOf(blocks)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const isFound = (ratio: number) => {
    const values = Array.from({ length: blocks }, () => Math.log(ratio) + sigma * Math.SQRT2 * normal())
    return blocks <= COUNTED_BLOCKS ? signFlip(values) <= LEVEL : isFoundByDraws(values, next)
  }
  const powers: Power[] = []
  for (const ratio of RATIOS) {
    let found = 0
    for (let trial = 0; trial < TRIALS; trial += 1) {
      if (isFound(ratio)) found += 1
      yield
    }
    powers.push({ ratio, power: Math.round((found / TRIALS) * 100) / 100 })
  }
  return powers
}

/** Whether at most `LEVEL` of drawn sign patterns are as extreme as the values. */
function isFoundByDraws(values: readonly number[], next: () => number): boolean {
  const middle = values.length >> 1
  const [low, high] = [sumsOf(values.slice(0, middle)), sumsOf(values.slice(middle))]
  const limit = Math.abs(low[0]! + high[0]!) - 1e-9
  const most = LEVEL * (DRAWN + 1)
  let extreme = 1
  for (let draw = 0; draw < DRAWN && extreme <= most; draw += 1) {
    // One number draws all signs.
    const signs = Math.floor(next() * low.length * high.length)
    if (Math.abs(low[signs % low.length]! + high[Math.floor(signs / low.length)]!) >= limit) extreme += 1
  }
  return extreme <= most
}

/** Returns the sums of all sign patterns. The first is that of the values as they are. */
function sumsOf(values: readonly number[]): Float64Array {
  const sums = new Float64Array(2 ** values.length)
  sums[0] = values.reduce((sum, value) => sum + value, 0)
  values.forEach((value, index) => {
    const half = 2 ** index
    for (let pattern = 0; pattern < half; pattern += 1) sums[half + pattern] = sums[pattern]! - 2 * value
  })
  return sums
}
