import { createFileRoute } from '@tanstack/react-router'
import { SentScreen } from '../../../features/conversations/bot/review/sent.tsx'
import { inboxTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/inbox_/sent')({ loader: inboxTexts, component: SentScreen })
