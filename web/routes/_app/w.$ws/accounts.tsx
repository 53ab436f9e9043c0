import { createFileRoute } from '@tanstack/react-router'
import { AccountsScreen } from '../../../features/channels/accounts/screen.tsx'

interface Search {
  connected?: number
  error?: string
  /** Where to go after connecting. */
  next?: 'compose'
}

export const Route = createFileRoute('/_app/w/$ws/accounts')({
  validateSearch: (search: Record<string, unknown>): Search => ({
    ...(search['connected'] === undefined ? {} : { connected: Number(search['connected']) || 0 }),
    ...(typeof search['error'] === 'string' ? { error: search['error'] } : {}),
    ...(search['next'] === 'compose' ? { next: 'compose' } : {}),
  }),
  component: function Accounts() {
    return <AccountsScreen outcome={Route.useSearch()} />
  },
})
