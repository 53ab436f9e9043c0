import { useTranslations } from 'use-intl'
import { DetailPage } from '../../shell/detail-page.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { snapshotQuery } from './queries.ts'
import { ReportView } from './view.tsx'

/** A snapshot of a report, for members. */
export function SnapshotScreen({ id }: { id: string }) {
  const t = useTranslations('reports')
  const { ws } = usePlace()
  return (
    <DetailPage
      operation="getReportSnapshot"
      query={snapshotQuery(ws, id)}
      nameOf={({ name }) => name}
      title={t('title')}
      list={{ to: '/w/$ws/analytics/reports', label: t('all') }}
    >
      {(snapshot) => <ReportView report={snapshot} timeZone={snapshot.timezone} at={snapshot.createdAt} />}
    </DetailPage>
  )
}
