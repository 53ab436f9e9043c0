import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { meQuery } from '../../queries.ts'
import { Page } from '../../ui/page.tsx'
import { Refused } from './parts.tsx'

const SECTIONS = [
  ['/admin', 'users'],
  ['/admin/workspaces', 'workspaces'],
  ['/admin/plans', 'plans'],
  ['/admin/queues', 'queues'],
  ['/admin/audit', 'audit'],
] as const

/** The frame of the operator screens. */
export function AdminFrame() {
  const t = useTranslations('admin')
  const { data: me } = useQuery(meQuery)
  if (!me?.isSuperAdmin) return <Refused />
  return (
    <Page title={t('title')}>
      <nav aria-label={t('sections')} className="flex flex-wrap gap-x-1 border-b px-3 lg:px-5">
        {SECTIONS.map(([to, label]) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true }}
            className="-mb-px inline-flex shrink-0 items-center border-b-2 border-transparent px-2 py-2.5 text-13 font-medium text-muted hover:text-fg max-sm:min-h-11 pointer-coarse:min-h-11 aria-[current=page]:border-accent aria-[current=page]:text-fg"
          >
            {t(label)}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  )
}
