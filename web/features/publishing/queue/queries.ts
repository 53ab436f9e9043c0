import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const slotsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'workspace', 'slots'],
    queryFn: ({ signal }) => call('getSlots', { workspace: ws, signal }),
  })

interface Wanted {
  from?: string
  to?: string
  accountIds?: string
  postId?: string
  limit?: number
}

/** Free slots. Invalidated together with the calendar. */
export const freeSlotsQuery = (ws: string, wanted: Wanted) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'calendar', 'free', wanted],
    queryFn: async ({ signal }) => (await call('listFreeSlots', { workspace: ws, query: wanted, signal })).data,
  })
