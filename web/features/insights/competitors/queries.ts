import '../endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'

/** Half-open days in the workspace's zone. */
export interface Days {
  from: string
  to: string
}

/** The competitors, by name. */
export const competitorsQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'competitors'],
    queryFn: ({ signal }) => allPages((query) => call('listCompetitors', { workspace: ws, query, signal })),
  })

/** An account of the workspace compared with its competitors. */
export const comparisonQuery = (ws: string, accountId: string, days: Days) =>
  queryOptions({
    queryKey: [ws, 'competitors', 'comparison', accountId, days],
    queryFn: ({ signal }) => call('compareCompetitors', { workspace: ws, query: { accountId, ...days }, signal }),
  })

/** The daily snapshots of an account, newest first. */
export const snapshotsQuery = (ws: string, id: string, days: Days) =>
  queryOptions({
    queryKey: [ws, 'competitors', id, days],
    queryFn: async ({ signal }) =>
      (await call('listCompetitorSnapshots', { workspace: ws, params: { id }, query: { ...days, limit: 100 }, signal }))
        .data,
  })
