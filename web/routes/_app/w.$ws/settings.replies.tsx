import { createFileRoute } from '@tanstack/react-router'
import { SavedRepliesScreen } from '../../../features/conversations/replies/screen.tsx'
import { talkTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/replies')({
  loader: talkTexts,
  component: SavedRepliesScreen,
})
