import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Strip } from '../../../ui/strip.tsx'
import { usePlace } from '../../shell/workspace.tsx'

const LOOK =
  '-mb-px flex min-h-10 min-w-6 items-center justify-center border-b-2 border-transparent px-2 text-13 font-medium text-muted hover:text-fg max-sm:min-h-11 max-sm:min-w-11 aria-[current=page]:border-accent aria-[current=page]:text-fg'

const TABS = [
  ['customers', '/w/$ws/audience'],
  ['segments', '/w/$ws/audience/segments'],
] as const

/** Links between the customer screens. */
export function AudienceTabs({ current }: { current: (typeof TABS)[number][0] }) {
  const t = useTranslations('audience')
  const { ws } = usePlace()
  return (
    <div className="border-b px-4 lg:px-6">
      <Strip aria-label={t('views')} className="-mx-2 gap-x-1">
        {TABS.map(([tab, to]) => (
          <Link
            key={tab}
            to={to}
            params={{ ws }}
            activeOptions={{ exact: true }}
            aria-current={tab === current ? 'page' : undefined}
            className={LOOK}
          >
            {t(`tabs.${tab}`)}
          </Link>
        ))}
      </Strip>
    </div>
  )
}
