import { createFileRoute } from '@tanstack/react-router'
import { CompetitorsScreen } from '../../../features/insights/competitors/screen.tsx'
import { readSearch } from '../../../features/insights/competitors/search.ts'
import { insightsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/competitors')({
  validateSearch: readSearch,
  loader: insightsTexts,
  component: function Competitors() {
    return <CompetitorsScreen search={Route.useSearch()} />
  },
})
