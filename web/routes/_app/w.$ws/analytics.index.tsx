import { createFileRoute } from '@tanstack/react-router'
import type { Search } from '../../../features/insights/analytics/read-search.ts'
import { AnalyticsScreen } from '../../../features/insights/analytics/screen.tsx'
import { analyticsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/')({
  // The screen reads it: every screen loads the routes.
  validateSearch: (search: Search) => search,
  loader: analyticsTexts,
  component: function Analytics() {
    return <AnalyticsScreen search={Route.useSearch()} />
  },
})
