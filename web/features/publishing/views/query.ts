import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

/** The person's own views and the shared ones, by name. */
export const viewsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'views'],
    queryFn: async ({ signal }) => (await call('listViews', { workspace: ws, signal })).data,
  })
