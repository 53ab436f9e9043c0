import { createFileRoute } from '@tanstack/react-router'
import { QueueScreen } from '../../../features/publishing/queue/screen.tsx'
import { reuseTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/queue')({ loader: reuseTexts, component: QueueScreen })
