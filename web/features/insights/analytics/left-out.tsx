import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { AnalyticsOverview } from '../../../../src/insights/analytics/api.ts'
import { networks } from '../../../../src/networks/rules.ts'
import { NETWORKS, PLATFORM_ORDER } from '../../../labels.ts'
import type { ChartFigure } from './read-search.ts'
import { absentIn, latePartsOf } from './rules.ts'
import { nameIn, useFigureWords } from './words.ts'

/** How many accounts to name. */
const NAMED = 3

interface Props {
  overview: AnalyticsOverview
  /** An account that starts late in several of them on the same day is named once. */
  figures: readonly ChartFigure[]
  className?: string
  /** A link to the figures of each account. */
  children?: ReactNode
}

/** The network of an account if it reports the figure of posts only, so that the first day comes after connecting. */
const withoutDays = ({ platform }: AnalyticsOverview['byAccount'][number], figure: ChartFigure) =>
  figure === 'followers' || networks[platform].figures.hasDays ? null : platform

/** The accounts that a sum leaves out: those without data in the period, and those that start to count only later. */
export function LeftOut({ overview, figures, className = '', children }: Props) {
  const t = useTranslations('analytics')
  const say = useFigureWords()
  const nameOf = nameIn(overview)
  // Figures that leave out the same accounts share a sentence.
  const absent: Record<string, string[]> = {}
  for (const figure of figures) {
    const missing = absentIn(overview, figure)
    for (const platform of [null, ...PLATFORM_ORDER]) {
      const names = missing
        .filter((account) => withoutDays(account, figure) === platform)
        .map(({ accountId }) => nameOf(accountId))
      if (names.length === 0) continue
      const accounts = { accounts: say.list(names), count: names.length }
      const sentence =
        platform === null
          ? t('absent', accounts)
          : t('absentByPost', { ...accounts, network: NETWORKS[platform].short })
      ;(absent[sentence] ??= []).push(t(`figures.${figure}`))
    }
  }
  const without = Object.entries(absent).map(([sentence, of]) => t('absentIn', { figures: say.list(of), sentence }))
  const said = figures
    .flatMap((figure) => latePartsOf(overview, figure))
    .map(({ accountId, from }) => t('countsFrom', { account: nameOf(accountId), day: say.day(from) }))
  const late = [...new Set(said)]
  if (without.length === 0 && late.length === 0) return null
  return (
    <p className={`flex flex-wrap items-center gap-x-3 px-4 pt-3 text-xs text-muted ${className}`}>
      {[...without, ...late.slice(0, NAMED)].join(' ')}
      {late.length > NAMED && ` ${t('moreLate', { count: late.length - NAMED })}`}
      {children}
    </p>
  )
}
