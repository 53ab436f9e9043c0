import { createFileRoute, redirect } from '@tanstack/react-router'
import { LoginForm } from '../features/auth/login-form.tsx'
import { session } from '../session.ts'

interface Search {
  /** Where to go after signing in: a path of this app. */
  to?: string
  /** The session ended by itself. */
  ended?: boolean
}

export const Route = createFileRoute('/login')({
  validateSearch: (search: Record<string, unknown>): Search => ({
    ...(typeof search['to'] === 'string' && /^\/(?![/\\])/.test(search['to']) ? { to: search['to'] } : {}),
    ...(search['ended'] ? { ended: true } : {}),
  }),
  beforeLoad: async ({ search }) => {
    const signedIn = await session.ensure().catch(() => false)
    if (signedIn) throw redirect({ href: search.to ?? '/' })
  },
  component: function Login() {
    const { to, ended } = Route.useSearch()
    return <LoginForm to={to} ended={ended} />
  },
})
