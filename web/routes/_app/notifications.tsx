import { createFileRoute } from '@tanstack/react-router'
import { NotificationsScreen } from '../../features/team/notifications/screen.tsx'
import { rareTexts } from '../../i18n.tsx'

export const Route = createFileRoute('/_app/notifications')({ beforeLoad: rareTexts, component: NotificationsScreen })
