import { createFileRoute } from '@tanstack/react-router'
import { UsersScreen } from '../../features/admin/users.tsx'

export const Route = createFileRoute('/_app/admin/')({ component: UsersScreen })
