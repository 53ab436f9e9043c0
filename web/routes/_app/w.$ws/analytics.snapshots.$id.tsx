import { createFileRoute } from '@tanstack/react-router'
import { SnapshotScreen } from '../../../features/insights/reports/snapshot-screen.tsx'
import { reportTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/snapshots/$id')({
  loader: reportTexts,
  component: function Snapshot() {
    return <SnapshotScreen id={Route.useParams().id} />
  },
})
