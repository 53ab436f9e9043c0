import { createFileRoute, redirect } from '@tanstack/react-router'
import { StartError } from '../features/shell/start-error.tsx'
import { homeOf, startOf } from '../home.ts'
import { meQuery } from '../queries.ts'
import { session } from '../session.ts'

/** Home: redirects to the first screen of the last or default workspace, or to onboarding. */
export const Route = createFileRoute('/')({
  errorComponent: StartError,
  // The callback of a network connection returns here if its start is unknown by then.
  validateSearch: (search: Record<string, unknown>): { error?: string } =>
    typeof search['error'] === 'string' ? { error: search['error'] } : {},
  beforeLoad: async ({ context, search }) => {
    if (!(await session.ensure())) throw redirect({ to: '/login' })
    const me = await context.client.ensureQueryData(meQuery)
    const ws = homeOf(me)
    if (!me.onboardedAt && !search.error) throw redirect({ to: '/onboarding' })
    if (ws && search.error) throw redirect({ to: '/w/$ws/accounts', params: { ws: ws.id }, search })
    if (ws) throw redirect({ to: startOf(ws), params: { ws: ws.id } })
    throw redirect({ to: '/me' })
  },
})
