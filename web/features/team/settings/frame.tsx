import { Link, Outlet } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Page } from '../../../ui/page.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { sectionsFor } from './sections.ts'

/** The settings of a workspace: one page, its parts side by side. */
export function SettingsFrame() {
  const t = useTranslations('settings')
  const { ws, membership } = usePlace()
  const sections = sectionsFor(membership)
  return (
    <Page title={t('title')}>
      {sections.length > 1 && (
        <nav aria-label={t('sections')} className="flex flex-wrap gap-x-1 border-b px-3 lg:px-5">
          {sections.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              params={{ ws }}
              activeOptions={{ exact: true, includeSearch: false }}
              className="-mb-px inline-flex shrink-0 items-center border-b-2 border-transparent px-2 py-2.5 text-13 font-medium text-muted hover:text-fg max-sm:min-h-11 pointer-coarse:min-h-11 aria-[current=page]:border-accent aria-[current=page]:text-fg"
            >
              {t(label)}
            </Link>
          ))}
        </nav>
      )}
      <Outlet />
    </Page>
  )
}
