import { createFileRoute } from '@tanstack/react-router'
import { TroubleScreen } from '../../../features/publishing/trouble/screen.tsx'
import { failedTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/trouble')({ loader: failedTexts, component: TroubleScreen })
