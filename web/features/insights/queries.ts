import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client.ts'
import { live } from '../../queries.ts'

/** What the networks told of a post. A hint about the post makes it stale. */
export const postMetricsQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'post', id, 'metrics'],
    queryFn: ({ signal }) => call('listPostMetrics', { workspace: ws, params: { id }, signal }),
  })
