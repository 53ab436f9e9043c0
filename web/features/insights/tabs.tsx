import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Strip } from '../../ui/strip.tsx'
import { refusal, usePlace } from '../shell/workspace.tsx'
import type { Search } from './analytics/read-search.ts'

const FIGURES = ['overview', 'networks', 'posts', 'topics', 'hours'] as const

const LOOK =
  '-mb-px flex min-h-10 min-w-6 items-center justify-center border-b-2 border-transparent px-2 text-13 font-medium text-muted hover:text-fg max-sm:min-h-11 max-sm:min-w-11 aria-[current=page]:border-accent aria-[current=page]:text-fg'

interface Props {
  current: (typeof FIGURES)[number] | 'competitors' | 'tests' | 'reports'
  /** The parameters to carry over between the views. */
  search?: Search
}

/** Links between the analytics screens. A client has only the overview and the reports. */
export function InsightTabs({ current, search = {} }: Props) {
  const t = useTranslations('analytics')
  const { ws, membership } = usePlace()
  const isReader = !refusal(membership, 'listAnalyticsPosts')
  const isHere = (tab: Props['current']) => (tab === current ? ('page' as const) : undefined)
  return (
    <div className="border-b px-4 lg:px-6">
      <Strip aria-label={t('views')} className="-mx-2 gap-x-1 max-sm:-mx-4 max-sm:flex-wrap max-sm:px-2">
        {FIGURES.filter((tab) => isReader || tab === 'overview').map((tab) => (
          <Link
            key={tab}
            to="/w/$ws/analytics"
            params={{ ws }}
            search={{ ...search, tab: tab === 'overview' ? undefined : tab }}
            activeOptions={{ exact: true }}
            aria-current={isHere(tab)}
            className={LOOK}
          >
            {t(`tabs.${tab}`)}
          </Link>
        ))}
        <Link to="/w/$ws/analytics/reports" params={{ ws }} aria-current={isHere('reports')} className={LOOK}>
          {t('tabs.reports')}
        </Link>
        {isReader && (
          <>
            <Link to="/w/$ws/competitors" params={{ ws }} aria-current={isHere('competitors')} className={LOOK}>
              {t('tabs.competitors')}
            </Link>
            <Link to="/w/$ws/ab-tests" params={{ ws }} aria-current={isHere('tests')} className={LOOK}>
              {t('tabs.tests')}
            </Link>
          </>
        )}
      </Strip>
    </div>
  )
}
