import type { ReplyStats } from './api.ts'

// How well the confidence predicts whether people change a reply. Pure.

/**
 * A draft that a person decided about. `unchanged` means that it was approved as it was, except for case and spaces.
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

/** Returns the calibration from labelled drafts, and from the confidences of all replies. */
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
  return {
    labelled: labels.length,
    ece: labels.length === 0 ? null : Math.round((error / labels.length) * 1_000) / 1_000,
    bins: bins.map(({ sum: _, ...bin }) => bin),
    suggestedThreshold: suggestThreshold(labels, confidences),
  }
}
