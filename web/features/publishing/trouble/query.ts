import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

/** The matters that wait for a person. Invalidated together with the posts. */
export const troubleQuery = (ws: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'posts', 'trouble'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listTrouble', { workspace: ws, query: { limit: 20, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
  })
