import { queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'
import { live } from '../../../queries.ts'

/** The person's own views and the shared ones, by name. */
export const viewsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'views'],
    queryFn: ({ signal }) => allPages((query) => call('listViews', { workspace: ws, query, signal })),
  })
