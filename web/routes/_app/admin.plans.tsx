import { createFileRoute } from '@tanstack/react-router'
import { PlansScreen } from '../../features/admin/plans.tsx'

export const Route = createFileRoute('/_app/admin/plans')({ component: PlansScreen })
