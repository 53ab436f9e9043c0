import { createFileRoute } from '@tanstack/react-router'
import { PostAnalysisScreen } from '../../../features/insights/analytics/post.tsx'
import { insightsTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/analytics/posts/$id')({
  loader: insightsTexts,
  component: function PostOfAnalytics() {
    return <PostAnalysisScreen id={Route.useParams().id} />
  },
})
