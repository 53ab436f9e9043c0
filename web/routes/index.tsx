import { createFileRoute, redirect } from '@tanstack/react-router'
import { meQuery } from '../queries.ts'
import { session } from '../session.ts'

/** Home: the calendar of the default workspace. */
export const Route = createFileRoute('/')({
  beforeLoad: async ({ context }) => {
    if (!(await session.ensure())) throw redirect({ to: '/login' })
    const me = await context.client.ensureQueryData(meQuery)
    const ws = me.workspaces.find((one) => one.id === me.defaultWorkspaceId) ?? me.workspaces[0]
    if (ws) throw redirect({ to: '/w/$ws/calendar', params: { ws: ws.id } })
    throw redirect({ to: '/me' })
  },
})
