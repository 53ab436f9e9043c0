import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client.ts'
import { live } from '../../queries.ts'

/** The figures of a post. Hints about the post invalidate them. */
export const postMetricsQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'post', id, 'metrics'],
    queryFn: ({ signal }) => call('listPostMetrics', { workspace: ws, params: { id }, signal }),
  })
