import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const notificationsQuery = infiniteQueryOptions({
  ...live,
  queryKey: ['notifications', 'list'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    call('listNotifications', { query: { limit: 30, cursor: pageParam || undefined }, signal }),
  getNextPageParam: (page) => page.nextCursor,
})

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => call('getNotificationPreferences', { signal }),
})
