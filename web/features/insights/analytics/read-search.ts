import type { DayMetric, PostAge, PostSort } from '../../../../src/insights/analytics/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'

export type Tab = 'networks' | 'posts' | 'hours'
export type Figure = Exclude<DayMetric, 'reach'> | 'rate'

/** Days of a period, by the name of its preset. */
export const RANGES = { '7d': 7, '28d': 28, '90d': 90, '365d': 365 } as const
export type Range = keyof typeof RANGES

/** What the address of the figures says. */
export interface Search {
  tab?: Tab
  range?: Range
  net?: Platform
  account?: string
  figure?: Figure
  order?: PostSort
  at?: PostAge
}

export const FIGURES: readonly Figure[] = ['impressions', 'engagement', 'rate', 'followers']
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
const TABS: readonly Tab[] = ['networks', 'posts', 'hours']
const ID = /^[0-9a-f-]{36}$/

/** What an address says; what it can't mean is left out. */
export function readSearch(search: Search): Search {
  const one = <T extends string>(key: keyof Search, values: readonly T[]) => {
    const found = values.find((value) => value === (search[key] as unknown))
    return found === undefined ? {} : { [key]: found }
  }
  const { account } = search
  return {
    ...one('tab', TABS),
    ...one('range', Object.keys(RANGES)),
    ...one('net', PLATFORM_ORDER),
    ...(typeof account === 'string' && ID.test(account) ? { account } : {}),
    ...one('figure', FIGURES),
    ...one('order', SORTS),
    ...one('at', AGES),
  }
}
