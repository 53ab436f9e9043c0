import { createFileRoute, redirect } from '@tanstack/react-router'
import { loadFrame } from '../features/shell/frame.ts'
import { Shell, ShellSkeleton } from '../features/shell/shell.tsx'
import { StartError } from '../features/shell/start-error.tsx'
import { meQuery } from '../queries.ts'
import { session } from '../session.ts'

/** Everything that requires sign-in. */
export const Route = createFileRoute('/_app')({
  beforeLoad: async ({ context, location }) => {
    if (!(await session.ensure())) throw redirect({ to: '/login', search: { to: location.href } })
    await context.client.ensureQueryData(meQuery)
  },
  loader: async ({ context }) => loadFrame(await context.client.ensureQueryData(meQuery)),
  errorComponent: StartError,
  pendingComponent: ShellSkeleton,
  pendingMs: 200,
  component: Shell,
})
