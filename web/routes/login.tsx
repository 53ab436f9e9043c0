import { createFileRoute, redirect } from '@tanstack/react-router'
import { LoginScreen } from '../features/team/auth/login-screen.tsx'
import { session } from '../session.ts'

interface Search {
  /** The page after signing in: a path of this app. */
  to?: string
  /** The session ended by itself, was ended elsewhere, or with its account. */
  ended?: true | 'elsewhere' | 'disabled'
  /** The way in that is shown; without it the password. */
  by?: 'phone' | 'email'
  /** Why signing in by a provider led nowhere. */
  error?: string
  provider?: string
}

export const Route = createFileRoute('/login')({
  validateSearch: (search: Record<string, unknown>): Search => ({
    ...(typeof search['to'] === 'string' && /^\/(?![/\\])/.test(search['to']) ? { to: search['to'] } : {}),
    ...(search['ended']
      ? { ended: search['ended'] === 'elsewhere' || search['ended'] === 'disabled' ? search['ended'] : true }
      : {}),
    ...(search['by'] === 'phone' || search['by'] === 'email' ? { by: search['by'] } : {}),
    ...(search['error'] ? { error: String(search['error']), provider: String(search['provider']) } : {}),
  }),
  beforeLoad: async ({ search }) => {
    const signedIn = await session.ensure().catch(() => false)
    if (signedIn && search.error)
      throw redirect({ to: '/me', search: { error: search.error, provider: search.provider } })
    if (signedIn) throw redirect({ href: search.to ?? '/' })
  },
  component: function Login() {
    return <LoginScreen {...Route.useSearch()} />
  },
})
