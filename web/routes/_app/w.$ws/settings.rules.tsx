import { createFileRoute } from '@tanstack/react-router'
import { RulesScreen } from '../../../features/conversations/rules/screen.tsx'
import { talkTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/rules')({ loader: talkTexts, component: RulesScreen })
