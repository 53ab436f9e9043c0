import { createFileRoute } from '@tanstack/react-router'
import { TodayScreen } from '../../../features/publishing/today/screen.tsx'
import { todayTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/today')({ loader: todayTexts, component: TodayScreen })
