import { createFileRoute } from '@tanstack/react-router'
import { SharedReportPage } from '../features/insights/reports/shared-page.tsx'
import { reportTexts } from '../i18n.tsx'

/** The link by which somebody without an account looks at a report. */
export const Route = createFileRoute('/reports/$token')({
  beforeLoad: reportTexts,
  component: function Shared() {
    const { token } = Route.useParams()
    return <SharedReportPage key={token} token={token} />
  },
})
