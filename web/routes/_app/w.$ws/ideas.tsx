import { createFileRoute } from '@tanstack/react-router'
import { IdeasScreen } from '../../../features/assistant/ideas/screen.tsx'
import { aiTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/ideas')({ loader: aiTexts, component: IdeasScreen })
