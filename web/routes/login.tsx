import { createFileRoute, redirect } from '@tanstack/react-router'
import { LoginScreen } from '../features/team/auth/login-screen.tsx'
import { readWanted, type WantedPage } from '../features/team/auth/wanted.ts'
import { session } from '../session.ts'

interface Search extends WantedPage {
  /** Why the session ended: it expired, was ended elsewhere, or its account was disabled. */
  ended?: true | 'elsewhere' | 'disabled'
  /** The sign-in method to show; the password by default. */
  by?: 'phone' | 'email'
  /** Why signing in with a provider failed. */
  error?: string
  provider?: string
}

export const Route = createFileRoute('/login')({
  validateSearch: (search: Record<string, unknown>): Search => ({
    ...readWanted(search),
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
