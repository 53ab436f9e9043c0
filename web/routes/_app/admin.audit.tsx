import { createFileRoute } from '@tanstack/react-router'
import { AdminAuditScreen } from '../../features/admin/audit.tsx'

export const Route = createFileRoute('/_app/admin/audit')({ component: AdminAuditScreen })
