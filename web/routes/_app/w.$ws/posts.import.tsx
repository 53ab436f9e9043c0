import { createFileRoute } from '@tanstack/react-router'
import { ImportScreen } from '../../../features/publishing/transfer/screen.tsx'
import { transferTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/posts/import')({ loader: transferTexts, component: ImportScreen })
