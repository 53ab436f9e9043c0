import { createFileRoute } from '@tanstack/react-router'
import { SettingsScreen } from '../../../features/settings/workspace.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/')({ component: SettingsScreen })
