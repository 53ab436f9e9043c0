import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { failedEventsQuery } from '../failed/query.ts'

/** Says how many customer events are missing from the list, with a link to them. */
export function FailedBar() {
  const t = useTranslations('inbox')
  const { ws, membership } = usePlace()
  const query = useInfiniteQuery({ ...failedEventsQuery(ws), enabled: !refusal(membership, 'listFailedEvents') })
  const count = query.data?.pages[0]?.count ?? 0
  if (count === 0) return null
  return (
    <p
      role="status"
      className="flex flex-wrap items-center gap-x-2 border-b bg-warn-soft px-4 py-1 text-xs text-warn max-sm:py-0"
    >
      <TriangleAlert className="size-3.5 shrink-0" aria-hidden />
      <span className="grow">{t('failedEvents', { count })}</span>
      <Link
        to="/w/$ws/trouble"
        params={{ ws }}
        className="inline-flex min-h-6 items-center font-medium underline max-sm:min-h-11"
      >
        {t('seeFailed')}
      </Link>
    </p>
  )
}
