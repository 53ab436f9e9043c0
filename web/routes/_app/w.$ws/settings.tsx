import { createFileRoute } from '@tanstack/react-router'
import { SettingsFrame } from '../../../features/team/settings/frame.tsx'
import { rareTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings')({ beforeLoad: rareTexts, component: SettingsFrame })
