import { createFileRoute } from '@tanstack/react-router'
import { AuditScreen } from '../../../features/team/audit/screen.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/audit')({ component: AuditScreen })
