import { createFileRoute } from '@tanstack/react-router'
import { SettingsScreen } from '../../../features/team/settings/workspace.tsx'
import { postTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/')({ loader: postTexts, component: SettingsScreen })
