import { createFileRoute } from '@tanstack/react-router'
import { ExperimentsScreen } from '../../../features/conversations/bot/experiments/screen.tsx'
import { botTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/experiments')({
  loader: botTexts,
  component: ExperimentsScreen,
})
