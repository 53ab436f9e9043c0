import { createFileRoute } from '@tanstack/react-router'
import { VoicesScreen } from '../../../features/assistant/voices/screen.tsx'
import { aiTexts } from '../../../i18n.tsx'

interface Search {
  /** The open voice, or `new`. */
  voice?: string
}

export const Route = createFileRoute('/_app/w/$ws/settings/voices')({
  validateSearch: ({ voice }: Record<string, unknown>): Search => (typeof voice === 'string' ? { voice } : {}),
  loader: aiTexts,
  component: function Voices() {
    return <VoicesScreen {...Route.useSearch()} />
  },
})
