import { createFileRoute } from '@tanstack/react-router'
import { BotScreen } from '../../../features/conversations/bot/settings/screen.tsx'
import { botTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/bot')({ loader: botTexts, component: BotScreen })
