import { createFileRoute, Outlet } from '@tanstack/react-router'
import { meQuery, MINUTE, workspaceQuery } from '../../queries.ts'
import { WorkspaceFrame } from '../../features/shell/workspace-frame.tsx'

export const Route = createFileRoute('/_app/w/$ws')({
  // Starts early, and is read by the frame.
  loader: async ({ context: { client }, params: { ws } }) => {
    const { workspaces } = await client.ensureQueryData(meQuery)
    if (workspaces.some(({ id }) => id === ws)) void client.prefetchQuery({ ...workspaceQuery(ws), staleTime: MINUTE })
  },
  component: function Workspace() {
    const { ws } = Route.useParams()
    return (
      <WorkspaceFrame key={ws} ws={ws}>
        <Outlet />
      </WorkspaceFrame>
    )
  },
})
