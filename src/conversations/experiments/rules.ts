// Decides when one of two variants has won. Pure.

export interface ArmCounts {
  drafted: number
  served: number
  conversions: number
}

/** How many customers each variant must have served before a winner can be named. */
export const NEEDED = 100
/** The standard deviation of the differences that the test expects. */
const TAU = 0.1
/** The likelihood ratio from which a difference is significant at 95 %, however often it is checked. */
const ENOUGH = 20
/** The critical value of chi-square with one degree of freedom, at a significance of 0.001. */
const UNLIKE = 10.83

/**
 * Returns the likelihood ratio of the always-valid test, a mixture sequential probability ratio test (Johari and
 * others, 2017). Its p-value holds however often the result is checked.
 */
export function likelihood(a: ArmCounts, b: ArmCounts): number {
  const rate = ({ conversions, served }: ArmCounts) => (conversions + 0.5) / (served + 1)
  if (a.served === 0 || b.served === 0) return 1
  const [first, second] = [rate(a), rate(b)]
  const variance = (first * (1 - first)) / a.served + (second * (1 - second)) / b.served
  const difference = second - first
  const wide = TAU ** 2
  return (
    Math.sqrt(variance / (variance + wide)) * Math.exp((difference ** 2 * wide) / (2 * variance * (variance + wide)))
  )
}

/** Returns the current two-sided p-value, or null without data. */
export const pValue = (a: ArmCounts, b: ArmCounts): number | null =>
  a.served === 0 || b.served === 0 ? null : Math.min(1, 1 / likelihood(a, b))

/** Returns the chi-square of a two-by-two table. */
function chiSquare(a: number, b: number, c: number, d: number): number {
  const total = a + b + c + d
  const below = (a + b) * (c + d) * (a + c) * (b + d)
  return below === 0 ? 0 : (total * (a * d - b * c) ** 2) / below
}

/**
 * Whether the variants can be compared: they got about the same number of customers, and sent about the same share of
 * their drafts.
 */
export function areComparable(a: ArmCounts, b: ArmCounts): boolean {
  const half = (a.drafted + b.drafted) / 2
  const drafts = half === 0 ? 0 : ((a.drafted - half) ** 2 + (b.drafted - half) ** 2) / half
  return drafts <= UNLIKE && chiSquare(a.served, a.drafted - a.served, b.served, b.drafted - b.served) <= UNLIKE
}

/** Returns the variant that has won, or null if none has yet. */
export function winnerOf(a: ArmCounts, b: ArmCounts): 'A' | 'B' | null {
  if (a.served < NEEDED || b.served < NEEDED || !areComparable(a, b) || likelihood(a, b) < ENOUGH) return null
  return b.conversions / b.served > a.conversions / a.served ? 'B' : 'A'
}
