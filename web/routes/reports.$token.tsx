import { createFileRoute } from '@tanstack/react-router'
import { SharedReportPage } from '../features/insights/reports/shared-page.tsx'
import { reportTexts } from '../i18n.tsx'

/** The public link of a report, for people without an account. */
export const Route = createFileRoute('/reports/$token')({
  beforeLoad: reportTexts,
  component: function Shared() {
    const { token } = Route.useParams()
    return <SharedReportPage key={token} token={token} />
  },
})
