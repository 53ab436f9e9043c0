import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { buttonClass } from '../../../ui/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { snapshotQuery } from './queries.ts'
import { ReportView } from './view.tsx'

/** A snapshot of a report, for members. */
export function SnapshotScreen({ id }: { id: string }) {
  const t = useTranslations('reports')
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'getReportSnapshot')
  const query = useQuery({ ...snapshotQuery(ws, id), enabled: !refused })
  if (refused)
    return (
      <Page title={t('title')}>
        <Refused refused={refused} />
      </Page>
    )
  return (
    <Page
      title={query.data?.name ?? t('title')}
      heading={query.data && <bdi>{query.data.name}</bdi>}
      up={
        <Link
          to="/w/$ws/analytics/reports"
          params={{ ws }}
          className={buttonClass('ghost', 'icon')}
          aria-label={t('all')}
        >
          <ChevronLeft className="size-4 rtl:-scale-x-100" aria-hidden />
        </Link>
      }
    >
      <Loaded query={query} skeleton={<div className="skeleton mx-auto my-6 h-64 w-full max-w-4xl" aria-hidden />}>
        {(snapshot) => (
          <div className="mx-auto w-full max-w-4xl px-4 py-6 lg:px-6">
            <ReportView report={snapshot} timeZone={snapshot.timezone} at={snapshot.createdAt} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
