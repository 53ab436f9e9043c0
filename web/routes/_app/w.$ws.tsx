import { createFileRoute, Outlet } from '@tanstack/react-router'
import { WorkspaceFrame } from '../../features/shell/workspace-frame.tsx'

export const Route = createFileRoute('/_app/w/$ws')({
  component: function Workspace() {
    const { ws } = Route.useParams()
    return (
      <WorkspaceFrame key={ws} ws={ws}>
        <Outlet />
      </WorkspaceFrame>
    )
  },
})
