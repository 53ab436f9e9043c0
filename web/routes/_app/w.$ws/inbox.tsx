import { createFileRoute } from '@tanstack/react-router'
import { InboxScreen } from '../../../features/conversations/inbox/screen.tsx'
import type { InboxSearch } from '../../../features/conversations/inbox/search.ts'
import { inboxTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/inbox')({
  // The screen parses the search: its code for filters and views loads with it, not with every screen.
  validateSearch: (search: Record<string, unknown>): InboxSearch => search,
  loader: inboxTexts,
  component: function Inbox() {
    return <InboxScreen search={Route.useSearch()} />
  },
})
