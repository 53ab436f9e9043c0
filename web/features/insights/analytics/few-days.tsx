import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import type { Figure } from './read-search.ts'
import { lateAccounts } from './rules.ts'
import { nameIn, useFigureWords } from './words.ts'

/** So many accounts are named. */
const NAMED = 3

interface Props {
  overview: AnalyticsOverview
  figure: Figure
  /** The way to the figures of each account. */
  children?: ReactNode
}

/** From when on an account counts in a sum, if not from the first day. */
export function FewDays({ overview, figure, children }: Props) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const nameOf = nameIn(overview)
  const late = lateAccounts(overview, figure)
  if (late.length === 0) return null
  const parts = late
    .slice(0, NAMED)
    .map(({ accountId, from }) => t('countsFrom', { account: nameOf(accountId), day: say.day(from) }))
  return (
    <p className="flex flex-wrap items-center gap-x-3 px-4 pt-3 text-xs text-muted">
      {parts.join(' ')}
      {late.length > NAMED && ` ${t('moreLate', { count: late.length - NAMED })}`}
      {children}
    </p>
  )
}
