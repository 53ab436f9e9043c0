import { createFileRoute } from '@tanstack/react-router'
import { PlanScreen } from '../../../features/team/plan/screen.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/plan')({ component: PlanScreen })
