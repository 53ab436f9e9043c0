import { createFileRoute } from '@tanstack/react-router'
import { SegmentsScreen } from '../../../features/conversations/audience/segments.tsx'
import { audienceTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/audience/segments')({
  loader: audienceTexts,
  component: SegmentsScreen,
})
