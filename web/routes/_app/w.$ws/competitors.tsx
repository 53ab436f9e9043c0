import { createFileRoute } from '@tanstack/react-router'
import { type CompetitorsSearch, CompetitorsScreen, PERIODS } from '../../../features/insights/competitors/screen.tsx'
import { insightsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/competitors')({
  validateSearch: ({ days, account }: Record<string, unknown>): CompetitorsSearch => {
    const period = PERIODS.find((one) => one === Number(days))
    return { ...(period && { days: period }), ...(typeof account === 'string' && { account }) }
  },
  loader: insightsTexts,
  component: function Competitors() {
    return <CompetitorsScreen search={Route.useSearch()} />
  },
})
