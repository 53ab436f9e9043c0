import { createFileRoute, redirect } from '@tanstack/react-router'
import { startOf } from '../../../home.ts'
import { meQuery } from '../../../queries.ts'

export const Route = createFileRoute('/_app/w/$ws/')({
  beforeLoad: async ({ context, params }) => {
    const me = await context.client.ensureQueryData(meQuery)
    const membership = me.workspaces.find((one) => one.id === params.ws)
    throw redirect({ to: membership ? startOf(membership) : '/w/$ws/today', params })
  },
})
