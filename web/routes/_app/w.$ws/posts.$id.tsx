import { createFileRoute } from '@tanstack/react-router'
import { PostScreen } from '../../../features/post/screen.tsx'

export const Route = createFileRoute('/_app/w/$ws/posts/$id')({
  component: function Post() {
    const { id } = Route.useParams()
    return <PostScreen key={id} id={id} />
  },
})
