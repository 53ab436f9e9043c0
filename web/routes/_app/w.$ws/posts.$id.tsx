import { createFileRoute } from '@tanstack/react-router'
import { PostScreen } from '../../../features/publishing/post/screen.tsx'
import { failedTexts } from '../../../i18n.tsx'

export const Route = createFileRoute('/_app/w/$ws/posts/$id')({
  loader: failedTexts,
  component: function Post() {
    const { id } = Route.useParams()
    return <PostScreen key={id} id={id} />
  },
})
