import { describe, expect, test } from 'vitest'
import { areComparable, likelihood, pValue, winnerOf } from './rules.ts'

const arm = (served: number, conversions: number, drafted = served) => ({ drafted, served, conversions })

/** Returns a generator of numbers between 0 and 1. The same seed gives the same numbers. */
function drawing(seed: number) {
  let at = seed >>> 0
  return () => {
    at = (at + 0x6d2b79f5) >>> 0
    let bits = Math.imul(at ^ (at >>> 15), at | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Counts the runs in which a winner is named at any look, as customers join both variants one by one. */
function winners(
  runs: number,
  [first, second]: readonly [number, number],
  isWon: (a: Arm, b: Arm) => boolean,
  most = 2_000,
) {
  let won = 0
  for (let run = 0; run < runs; run += 1) {
    const draw = drawing(run * 7_919 + 1)
    const a = arm(0, 0)
    const b = arm(0, 0)
    for (let pair = 0; pair < most; pair += 1) {
      for (const [way, rate] of [
        [a, first],
        [b, second],
      ] as const) {
        way.served += 1
        way.drafted += 1
        if (draw() < rate) way.conversions += 1
      }
      if (isWon(a, b)) {
        won += 1
        break
      }
    }
  }
  return won
}
type Arm = ReturnType<typeof arm>

/** The usual test, which is valid for a single look only. */
function zTest(a: Arm, b: Arm): boolean {
  if (a.served < 100) return false
  const pooled = (a.conversions + b.conversions) / (a.served + b.served)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.served + 1 / b.served))
  return error > 0 && Math.abs(b.conversions / b.served - a.conversions / a.served) / error > 1.96
}

describe('two equal variants', () => {
  test('have a winner in at most 5 % of 2,000 runs, however often the result is checked', () => {
    expect(winners(2_000, [0.3, 0.3], (a, b) => winnerOf(a, b) !== null, 1_000)).toBeLessThanOrEqual(100)
  })

  test('have a winner far more often by the usual test, which is why it is not used', () => {
    expect(winners(200, [0.3, 0.3], zTest, 1_000)).toBeGreaterThan(20)
  })
})

test('a real difference is found, in the right direction', () => {
  expect(winners(60, [0.3, 0.4], (a, b) => winnerOf(a, b) === 'B')).toBeGreaterThan(50)
  expect(winnerOf(arm(1_000, 400), arm(1_000, 250))).toBe('A')
})

test('no variant wins before each has served 100 customers', () => {
  expect(winnerOf(arm(99, 90), arm(99, 1))).toBeNull()
  expect(winnerOf(arm(100, 90), arm(100, 1))).toBe('A')
})

test('variants that sent different shares of their drafts are not compared', () => {
  expect(areComparable(arm(500, 100, 1_000), arm(900, 100, 1_000))).toBe(false)
  expect(winnerOf(arm(500, 400, 1_000), arm(900, 100, 1_000))).toBeNull()
  expect(areComparable(arm(480, 0, 1_000), arm(500, 0, 1_000))).toBe(true)
  expect(areComparable(arm(500, 0, 500), arm(900, 0, 900))).toBe(false)
})

test('the p-value is known once each variant has served a customer', () => {
  expect(pValue(arm(0, 0), arm(5, 1))).toBeNull()
  expect(pValue(arm(5, 1), arm(5, 1))).toBe(1)
  expect(likelihood(arm(1_000, 500), arm(1_000, 300))).toBeGreaterThan(1_000)
})
