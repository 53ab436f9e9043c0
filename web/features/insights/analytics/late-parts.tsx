import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import type { Figure } from './read-search.ts'
import { latePartsOf } from './rules.ts'
import { nameIn, useFigureWords } from './words.ts'

/** How many accounts to name. */
const NAMED = 3

interface Props {
  overview: AnalyticsOverview
  /** An account that starts late in several of them on the same day is named once. */
  figures: readonly Figure[]
  className?: string
  /** A link to the figures of each account. */
  children?: ReactNode
}

/** The accounts that start to count in a sum only after the first day of the period. */
export function LateParts({ overview, figures, className = '', children }: Props) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const nameOf = nameIn(overview)
  const said = figures
    .flatMap((figure) => latePartsOf(overview, figure))
    .map(({ accountId, from }) => t('countsFrom', { account: nameOf(accountId), day: say.day(from) }))
  const late = [...new Set(said)]
  if (late.length === 0) return null
  return (
    <p className={`flex flex-wrap items-center gap-x-3 px-4 pt-3 text-xs text-muted ${className}`}>
      {late.slice(0, NAMED).join(' ')}
      {late.length > NAMED && ` ${t('moreLate', { count: late.length - NAMED })}`}
      {children}
    </p>
  )
}
