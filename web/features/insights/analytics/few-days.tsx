import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import { isEnough } from '../../../../src/insights/analytics/rules.ts'
import type { Figure } from './read-search.ts'
import { sharedDays } from './rules.ts'
import { nameIn, useFigureWords } from './words.ts'

/** So many accounts are named. */
const NAMED = 3

interface Props {
  overview: AnalyticsOverview
  figure: Figure
  /** The way to the figures of each account. */
  children?: ReactNode
}

/** Why a sum counts few days or none: the accounts that lack most of them. */
export function FewDays({ overview, figure, children }: Props) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const nameOf = nameIn(overview)
  const shared = figure === 'followers' ? null : sharedDays(overview, figure)
  if (!shared || isEnough(shared.known, overview.days)) return null
  const reasons = shared.lacking
    .slice(0, NAMED)
    .map(({ from, to, reason, accountId }) =>
      t('gap', { days: say.days(from, to), reason: t(`gaps.${reason}`, { account: nameOf(accountId) }) }),
    )
  if (reasons.length === 0 && !children) return null
  return (
    <p className="flex flex-wrap items-center gap-x-3 px-4 pt-3 text-xs text-muted">
      {reasons.length > 0 && t(shared.known === 0 ? 'whyNoDay' : 'whyFewDays', { reasons: reasons.join(' · ') })}
      {children}
    </p>
  )
}
