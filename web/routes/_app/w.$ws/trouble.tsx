import { createFileRoute } from '@tanstack/react-router'
import { TroubleScreen } from '../../../features/trouble/screen.tsx'
import { postTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/trouble')({ loader: postTexts, component: TroubleScreen })
