import '../endpoints.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

/** Network events that could not be applied. Invalidated together with the conversations. */
export const failedEventsQuery = (ws: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'conversations', 'failed'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listFailedEvents', { workspace: ws, query: { limit: 20, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
  })
