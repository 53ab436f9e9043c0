import { createFileRoute } from '@tanstack/react-router'
import { ProfileScreen } from '../../features/settings/profile.tsx'

export const Route = createFileRoute('/_app/me')({ component: ProfileScreen })
