import type { MeasuredPost, PostMetric } from '../../../../src/insights/metrics/api.ts'

/** The ones that people look at first at the front. */
const FIGURES = [
  'reach',
  'impressions',
  'videoViews',
  'engagement',
  'likes',
  'comments',
  'shares',
  'saves',
] as const satisfies readonly (keyof MeasuredPost)[]
export type Figure = (typeof FIGURES)[number]

/** The figures that the network told at any time. */
export const toldOf = (post: MeasuredPost): { name: Figure; value: number }[] =>
  FIGURES.flatMap((name) => {
    const value = post[name]
    return value === null ? [] : [{ name, value }]
  })

export const notToldOf = (post: MeasuredPost): Figure[] =>
  FIGURES.filter((figure) => figure !== 'engagement' && post[figure] === null)

/** An age in whole hours, from two days on in days. */
export const ageOf = (hours: number): { unit: 'hours' | 'days'; age: number } =>
  hours < 47.5 ? { unit: 'hours', age: Math.max(1, Math.round(hours)) } : { unit: 'days', age: Math.round(hours / 24) }

interface Course {
  last: { value: number; hours: number }
  /** The age at which half of it was there. */
  half: number | null
  /** The highest value, when it fell later. */
  most: { value: number; day: string } | null
}

/** How a figure went; null while nothing is known of it. */
export function courseOf(metrics: readonly PostMetric[], figure: Figure): Course | null {
  const told = metrics.flatMap((metric) => {
    const value = metric[figure]
    return value === null ? [] : [{ value, hours: metric.ageHours, day: metric.day }]
  })
  const last = told.at(-1)
  if (!last) return null
  const half = told.find(({ value }) => value >= last.value / 2)
  const most = told.reduce((a, b) => (b.value > a.value ? b : a))
  return {
    last,
    half: half && half !== last && last.value > 1 ? half.hours : null,
    most: most.value > last.value ? most : null,
  }
}
