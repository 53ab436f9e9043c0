import { createFileRoute } from '@tanstack/react-router'
import { AiHistoryScreen } from '../../../features/assistant/ai-history/screen.tsx'
import { aiTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/ai')({ loader: aiTexts, component: AiHistoryScreen })
