import { createFileRoute } from '@tanstack/react-router'
import { PostsScreen } from '../../../features/posts/screen.tsx'
import { isStatus } from '../../../features/posts/filters.ts'

interface Search {
  status?: string
  q?: string
}

export const Route = createFileRoute('/_app/w/$ws/posts/')({
  validateSearch: (search: Record<string, unknown>): Search => ({
    ...(typeof search['status'] === 'string' && search['status'].split(',').every(isStatus)
      ? { status: search['status'] }
      : {}),
    ...(search['q'] ? { q: String(search['q']).slice(0, 200) } : {}),
  }),
  component: function Posts() {
    return <PostsScreen filter={Route.useSearch()} />
  },
})
