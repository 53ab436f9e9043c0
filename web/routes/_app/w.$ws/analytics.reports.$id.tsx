import { createFileRoute } from '@tanstack/react-router'
import { ReportScreen } from '../../../features/insights/reports/report-screen.tsx'
import { reportTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/reports/$id')({
  loader: reportTexts,
  component: function OneReport() {
    return <ReportScreen id={Route.useParams().id} />
  },
})
