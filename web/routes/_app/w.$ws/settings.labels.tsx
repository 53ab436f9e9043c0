import { createFileRoute } from '@tanstack/react-router'
import { LabelsScreen } from '../../../features/team/labels/screen.tsx'

export const Route = createFileRoute('/_app/w/$ws/settings/labels')({ component: LabelsScreen })
