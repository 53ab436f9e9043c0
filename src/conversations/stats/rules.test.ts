import { expect, test } from 'vitest'
import { calibrationOf, lowerBound, suggestThreshold } from './rules.ts'

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
