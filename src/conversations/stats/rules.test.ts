import { expect, test } from 'vitest'
import { calibrationOf, lowerBound, monotoneShares, suggestThreshold } from './rules.ts'

const labels = (count: number, confidence: number, unchanged: boolean) =>
  Array.from({ length: count }, () => ({ confidence, unchanged }))

test('from 50 labels on, the lowest threshold is suggested above which people change almost nothing', () => {
  const sure = labels(120, 0.85, true)
  const unsure = [...labels(20, 0.65, true), ...labels(20, 0.65, false)]
  const confidences = [...Array.from({ length: 60 }, () => 0.85), ...Array.from({ length: 40 }, () => 0.65)]
  expect(suggestThreshold([...sure, ...unsure], confidences)).toEqual({ threshold: 0.85, automatic: 0.6, changed: 0 })
  expect(suggestThreshold(labels(49, 0.85, true), confidences)).toBeNull()
  expect(suggestThreshold(labels(60, 0.85, false), confidences)).toBeNull()
})

test('the bound is Wilson’s, and rises with the number of labels', () => {
  expect(lowerBound(0, 0)).toBe(0)
  expect(lowerBound(10, 10)).toBeCloseTo(0.722, 3)
  expect(lowerBound(100, 100)).toBeCloseTo(0.963, 3)
})

test('ten bins hold each reply once, the most confident in the last', () => {
  const { bins, labelled, ece } = calibrationOf(
    [...labels(2, 0.95, true), ...labels(2, 0.25, false)],
    [0, 0.1, 0.25, 0.999, 1],
  )
  expect(labelled).toBe(4)
  expect(bins.map(({ replies }) => replies)).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0, 2])
  expect(bins[9]).toMatchObject({ from: 0.9, to: 1, labelled: 2, unchanged: 2 })
  expect(ece).toBe(0.15)
  expect(calibrationOf([], []).ece).toBeNull()
})

test('the calibrated share never falls as the confidence rises: bins whose shares fall are pooled', () => {
  const bins = (...counts: [unchanged: number, labelled: number][]) =>
    monotoneShares(counts.map(([unchanged, labelled]) => ({ unchanged, labelled })))
  expect(bins([1, 10], [5, 10], [9, 10])).toEqual([0.1, 0.5, 0.9])
  expect(bins([8, 10], [2, 10], [9, 10])).toEqual([0.5, 0.5, 0.9])
  // The second fall pools what the first one has pooled.
  expect(bins([6, 10], [9, 10], [3, 20], [10, 10])).toEqual([0.45, 0.45, 0.45, 1])
  expect(bins([0, 0], [4, 4], [0, 0], [1, 2])).toEqual([null, 0.833, null, 0.833])
  const { bins: calibrated } = calibrationOf([...labels(3, 0.55, true), ...labels(3, 0.85, false)], [])
  expect([calibrated[5], calibrated[8]]).toMatchObject([{ calibrated: 0.5 }, { calibrated: 0.5 }])
})
