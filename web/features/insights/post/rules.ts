import type { MeasuredPost, PostMetric } from '../../../../src/insights/metrics/api.ts'

/** In display order, the most requested first. */
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
export type PostFigure = (typeof FIGURES)[number]

/** The figures that the network has reported. */
export const toldOf = (post: MeasuredPost): { name: PostFigure; value: number }[] =>
  FIGURES.flatMap((name) => {
    const value = post[name]
    return value === null ? [] : [{ name, value }]
  })

export const notToldOf = (post: MeasuredPost): PostFigure[] =>
  FIGURES.filter((figure) => figure !== 'engagement' && post[figure] === null)

/** An age in whole hours, or in days from two days on. */
export const ageOf = (hours: number): { unit: 'hours' | 'days'; age: number } =>
  hours < 47.5 ? { unit: 'hours', age: Math.max(1, Math.round(hours)) } : { unit: 'days', age: Math.round(hours / 24) }

interface Course {
  last: { value: number; hours: number }
  /** The age in hours at which half of the final value was reached. */
  half: number | null
  /** The highest value, if the figure has since dropped. */
  most: { value: number; day: string } | null
}

/** Summarises how a figure developed; null without any values. */
export function courseOf(metrics: readonly PostMetric[], figure: PostFigure): Course | null {
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
