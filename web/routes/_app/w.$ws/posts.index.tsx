import { createFileRoute } from '@tanstack/react-router'
import { type Filter, readFilter } from '../../../features/publishing/posts/read-filter.ts'
import { PostsScreen } from '../../../features/publishing/posts/screen.tsx'

export const Route = createFileRoute('/_app/w/$ws/posts/')({
  validateSearch: (search: Record<string, unknown>): Filter => readFilter(search),
  component: function Posts() {
    return <PostsScreen filter={Route.useSearch()} />
  },
})
