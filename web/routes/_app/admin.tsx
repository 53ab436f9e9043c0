import { createFileRoute } from '@tanstack/react-router'
import { AdminFrame } from '../../features/admin/frame.tsx'
import { adminTexts } from '../../i18n.tsx'

export const Route = createFileRoute('/_app/admin')({ beforeLoad: adminTexts, component: AdminFrame })
