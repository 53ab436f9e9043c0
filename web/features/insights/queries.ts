import { queryOptions } from '@tanstack/react-query'
import type { MeasuredPost } from '../../../src/insights/metrics/api.ts'
import { allPages, call } from '../../client.ts'
import { live } from '../../queries.ts'

/** The figures of a post, with all readings, oldest first. Hints about the post invalidate them. */
export const postMetricsQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'post', id, 'metrics'],
    queryFn: async ({ signal }) => {
      let posts: MeasuredPost[] = []
      const data = await allPages(async (query) => {
        const page = await call('listPostMetrics', { workspace: ws, params: { id }, query, signal })
        posts = page.posts
        return page
      })
      return { data, posts }
    },
  })
