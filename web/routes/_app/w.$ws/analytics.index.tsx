import { createFileRoute } from '@tanstack/react-router'
import { readSearch, type Search } from '../../../features/insights/analytics/read-search.ts'
import { AnalyticsScreen } from '../../../features/insights/analytics/screen.tsx'
import { insightsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/')({
  validateSearch: (search: Record<string, unknown>): Search => readSearch(search),
  loader: insightsTexts,
  component: function Analytics() {
    return <AnalyticsScreen search={Route.useSearch()} />
  },
})
