import { createFileRoute } from '@tanstack/react-router'
import { PostAnalysisScreen } from '../../../features/insights/analytics/post.tsx'
import { analyticsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/posts/$id')({
  loader: analyticsTexts,
  component: function PostOfAnalytics() {
    return <PostAnalysisScreen id={Route.useParams().id} />
  },
})
