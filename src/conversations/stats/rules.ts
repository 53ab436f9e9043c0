import type { ReplyStats } from './api.ts'

// How well the confidence predicts whether people change a reply. Pure.

/**
 * A draft that a person decided about, or a sent reply that they checked. `unchanged` means that the draft was approved as
 * it was, except for case and spaces, or that the sent reply was right.
 */
export interface Labelled {
  confidence: number
  unchanged: boolean
}

const BINS = 10
const binOf = (confidence: number) => Math.min(BINS - 1, Math.floor(confidence * BINS + 1e-9))

/** Nothing is suggested with fewer labels than this. */
const ENOUGH = 50
/** The minimum share of unchanged replies above a suggested threshold, at 95 % confidence. */
const WANTED = 0.95
const Z = 1.96

/** Returns the lower bound of the Wilson interval for `count` out of `of`. */
export function lowerBound(count: number, of: number): number {
  if (of === 0) return 0
  const share = count / of
  const square = Z ** 2 / of
  const middle = share + square / 2
  const spread = Z * Math.sqrt((share * (1 - share)) / of + square / (4 * of))
  return Math.max(0, (middle - spread) / (1 + square))
}

/** Returns the lowest threshold above which people would leave replies unchanged, or null without enough evidence. */
export function suggestThreshold(
  labels: readonly Labelled[],
  confidences: readonly number[],
): ReplyStats['calibration']['suggestedThreshold'] {
  if (labels.length < ENOUGH) return null
  const rounded = (value: number) => Math.round(value * 100) / 100
  const thresholds = [...new Set(labels.map(({ confidence }) => Math.floor(confidence * 100) / 100))].toSorted(
    (a, b) => a - b,
  )
  for (const threshold of thresholds) {
    const above = labels.filter(({ confidence }) => confidence >= threshold)
    const unchanged = above.filter((label) => label.unchanged).length
    if (lowerBound(unchanged, above.length) < WANTED) continue
    const automatic =
      confidences.filter((confidence) => confidence >= threshold).length / Math.max(1, confidences.length)
    return { threshold, automatic: rounded(automatic), changed: rounded(1 - unchanged / above.length) }
  }
  return null
}

const thousandths = (value: number) => Math.round(value * 1_000) / 1_000

/**
 * Returns for each bin the share of unchanged replies that never falls as the confidence rises, and is closest to the
 * counted shares. Neighbours whose shares fall are pooled (pool adjacent violators: Ayer et al., Annals of Mathematical
 * Statistics 26, 1955). Null without labels.
 */
export function monotoneShares(bins: readonly { labelled: number; unchanged: number }[]): (number | null)[] {
  const pools: { labelled: number; unchanged: number; places: number[] }[] = []
  for (const [place, { labelled, unchanged }] of bins.entries()) {
    if (labelled === 0) continue
    let pool = { labelled, unchanged, places: [place] }
    for (let last = pools.at(-1); last !== undefined; last = pools.at(-1)) {
      if (last.unchanged * pool.labelled <= pool.unchanged * last.labelled) break
      pools.pop()
      pool = {
        labelled: last.labelled + pool.labelled,
        unchanged: last.unchanged + pool.unchanged,
        places: [...last.places, ...pool.places],
      }
    }
    pools.push(pool)
  }
  const shares = new Map(
    pools.flatMap(({ labelled, unchanged, places }) =>
      places.map((place) => [place, thousandths(unchanged / labelled)] as const),
    ),
  )
  return bins.map((_, place) => shares.get(place) ?? null)
}

/** Returns the calibration from labelled replies, and from the confidences of all replies. */
export function calibrationOf(labels: readonly Labelled[], confidences: readonly number[]): ReplyStats['calibration'] {
  const bins = Array.from({ length: BINS }, (_, at) => {
    const mine = labels.filter(({ confidence }) => binOf(confidence) === at)
    return {
      from: at / BINS,
      to: (at + 1) / BINS,
      replies: confidences.filter((confidence) => binOf(confidence) === at).length,
      labelled: mine.length,
      unchanged: mine.filter(({ unchanged }) => unchanged).length,
      sum: mine.reduce((sum, { confidence }) => sum + confidence, 0),
    }
  })
  const error = bins.reduce(
    (sum, { labelled, unchanged, sum: claimed }) => sum + (labelled === 0 ? 0 : Math.abs(unchanged - claimed)),
    0,
  )
  const shares = monotoneShares(bins)
  return {
    labelled: labels.length,
    ece: labels.length === 0 ? null : thousandths(error / labels.length),
    bins: bins.map(({ sum: _, ...bin }, at) => ({ ...bin, calibrated: shares[at] ?? null })),
    suggestedThreshold: suggestThreshold(labels, confidences),
  }
}
