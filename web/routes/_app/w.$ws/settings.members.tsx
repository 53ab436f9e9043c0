import { createFileRoute } from '@tanstack/react-router'
import { MembersScreen } from '../../../features/team/members/screen.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/members')({ component: MembersScreen })
