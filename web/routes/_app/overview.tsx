import { createFileRoute } from '@tanstack/react-router'
import { OverviewScreen } from '../../features/publishing/overview/screen.tsx'
import { rareTexts } from '../../i18n.tsx'

export const Route = createFileRoute('/_app/overview')({ beforeLoad: rareTexts, component: OverviewScreen })
