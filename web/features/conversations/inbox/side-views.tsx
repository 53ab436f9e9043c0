import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { createPortal } from 'react-dom'
import { useTranslations } from 'use-intl'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { countsQuery } from './queries.ts'
import { type InboxSearch, VIEWS, viewsFor } from './search.ts'

/** The inbox views in the sidebar, with the number of threads in each. */
export function SideViews({ filter = VIEWS[0] }: Pick<InboxSearch, 'filter'>) {
  const t = useTranslations('inbox')
  const { ws, membership } = usePlace()
  const counts = useQuery({ ...countsQuery(ws), enabled: !refusal(membership, 'countConversations') }).data
  const place = document.querySelector('[data-below=inbox]')
  if (!place) return null
  return createPortal(
    <ul aria-label={t('view')} className="ms-4 mt-0.5 mb-1.5 shrink-0 border-s ps-2">
      {viewsFor(membership.role).map((one) => (
        <li key={one}>
          <Link
            to="/w/$ws/inbox"
            params={{ ws }}
            search={one === VIEWS[0] ? {} : { filter: one }}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={one === filter ? 'true' : undefined}
            className="flex min-h-7 items-center justify-between gap-2 rounded-md px-2 text-muted -outline-offset-2! hover:bg-hover hover:text-fg aria-[current=true]:bg-accent-soft aria-[current=true]:font-medium aria-[current=true]:text-accent-strong"
          >
            <span className="clip">{t(`views.${one}`)}</span>
            <bdi className="text-xs tabular-nums">{counts?.[one] || ''}</bdi>
          </Link>
        </li>
      ))}
    </ul>,
    place,
  )
}
