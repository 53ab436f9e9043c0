import { createFileRoute, redirect } from '@tanstack/react-router'
import { StartError } from '../features/shell/start-error.tsx'
import { homeOf, startOf } from '../home.ts'
import { meQuery } from '../queries.ts'
import { session } from '../session.ts'

/** Home: the start of the default workspace, and before it the first questions. */
export const Route = createFileRoute('/')({
  errorComponent: StartError,
  // A connection whose start is no longer known comes back here.
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
