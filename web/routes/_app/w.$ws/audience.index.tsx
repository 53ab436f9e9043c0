import { createFileRoute } from '@tanstack/react-router'
import { AudienceScreen } from '../../../features/conversations/audience/screen.tsx'
import { readSearch } from '../../../features/conversations/audience/search.ts'
import { audienceTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/audience/')({
  validateSearch: readSearch,
  loader: audienceTexts,
  component: function Audience() {
    return <AudienceScreen search={Route.useSearch()} />
  },
})
