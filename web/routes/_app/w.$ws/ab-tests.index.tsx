import { createFileRoute } from '@tanstack/react-router'
import { TestsScreen } from '../../../features/insights/ab-tests/screen.tsx'
import { insightsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/ab-tests/')({ loader: insightsTexts, component: TestsScreen })
