import { createFileRoute } from '@tanstack/react-router'
import { ReviewScreen } from '../../../features/conversations/bot/review/screen.tsx'
import { inboxTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/inbox_/review')({ loader: inboxTexts, component: ReviewScreen })
