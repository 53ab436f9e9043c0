import { createFileRoute } from '@tanstack/react-router'
import { ReportsScreen } from '../../../features/insights/reports/screen.tsx'
import { reportTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/reports/')({
  loader: reportTexts,
  component: ReportsScreen,
})
