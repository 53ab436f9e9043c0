import type { DayMetric, PostAge, PostSort, TagDimension } from '../../../../src/insights/analytics/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { lengthOf } from '../../../../src/insights/analytics/rules.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'

export type AnalyticsTab = 'networks' | 'posts' | 'topics' | 'hours'
export type ChartFigure = Exclude<DayMetric, 'reach'> | 'rate'

/** The length of each preset period, in days. */
export const RANGES = { '7d': 7, '28d': 28, '90d': 90, '365d': 365 } as const
export type Range = keyof typeof RANGES

/** The search parameters of the analytics screen. */
export interface Search {
  tab?: AnalyticsTab
  range?: Range
  /** Custom dates instead of a preset, as half-open days. */
  from?: string
  to?: string
  net?: Platform
  account?: string
  figure?: ChartFigure
  order?: PostSort
  at?: PostAge
  by?: TagDimension
}

export const FIGURES: readonly ChartFigure[] = ['impressions', 'engagement', 'rate', 'followers']
export const SORTS: readonly PostSort[] = [
  'views',
  'reach',
  'engagement',
  'rate',
  'likes',
  'comments',
  'shares',
  'saves',
  'publishedAt',
]
export const AGES: readonly PostAge[] = ['1d', '7d', '30d']
export const DIMENSIONS: readonly TagDimension[] = ['topic', 'format', 'tone', 'hashtag', 'label']
const TABS: readonly AnalyticsTab[] = ['networks', 'posts', 'topics', 'hours']
const ID = /^[0-9a-f-]{36}$/
const DATE = /^20\d\d-\d\d-\d\d$/

/** The maximum length of a period, in days. */
export const LONGEST = 366

/** Whether two values are the half-open days of a valid period. */
export function arePeriod(from: unknown, to: unknown): boolean {
  const isDate = (date: unknown): date is string =>
    typeof date === 'string' && DATE.test(date) && !Number.isNaN(Date.parse(date))
  return isDate(from) && isDate(to) && from < to && lengthOf({ from, to }) <= LONGEST
}

/** Reads the search parameters and ignores invalid ones. */
export function readSearch(search: Search): Search {
  const one = <T extends string>(key: keyof Search, values: readonly T[]) => {
    const found = values.find((value) => value === (search[key] as unknown))
    return found === undefined ? {} : { [key]: found }
  }
  const { account, from, to } = search
  return {
    ...one('tab', TABS),
    ...(arePeriod(from, to) ? { from, to } : one('range', Object.keys(RANGES))),
    ...one('net', PLATFORM_ORDER),
    ...(typeof account === 'string' && ID.test(account) ? { account } : {}),
    ...one('figure', FIGURES),
    ...one('order', SORTS),
    ...one('at', AGES),
    ...one('by', DIMENSIONS),
  }
}
