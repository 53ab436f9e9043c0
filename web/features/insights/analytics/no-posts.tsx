import { Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { buttonClass } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import type { AnalyticsTab } from './read-search.ts'

/** Shown for a period without posts, with a link to a longer one without filters. */
export function NoPosts({ tab }: { tab: AnalyticsTab }) {
  const t = useTranslations('analytics')
  const { ws } = usePlace()
  return (
    <Empty
      icon={SearchX}
      title={t('noPosts')}
      role="status"
      actions={
        <Link
          to="/w/$ws/analytics"
          params={{ ws }}
          search={{ tab, range: '365d' }}
          className={buttonClass('secondary')}
        >
          {t('clear')}
        </Link>
      }
    />
  )
}
