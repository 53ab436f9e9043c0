import { createFileRoute } from '@tanstack/react-router'
import type { Search } from '../../../features/insights/analytics/read-search.ts'
import { AnalyticsScreen } from '../../../features/insights/analytics/screen.tsx'
import { analyticsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/')({
  // The screen parses the search. Every screen loads the routes, so the parser stays out of them.
  validateSearch: (search: Search) => search,
  loader: analyticsTexts,
  component: function Analytics() {
    return <AnalyticsScreen search={Route.useSearch()} />
  },
})
