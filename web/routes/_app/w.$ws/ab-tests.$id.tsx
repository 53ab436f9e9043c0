import { createFileRoute } from '@tanstack/react-router'
import { TestScreen } from '../../../features/insights/ab-tests/test-screen.tsx'
import { insightsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/ab-tests/$id')({
  loader: insightsTexts,
  component: function Test() {
    return <TestScreen id={Route.useParams().id} />
  },
})
