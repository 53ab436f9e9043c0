import { createFileRoute } from '@tanstack/react-router'
import { WorkspacesScreen } from '../../features/admin/workspaces.tsx'

export const Route = createFileRoute('/_app/admin/workspaces')({ component: WorkspacesScreen })
