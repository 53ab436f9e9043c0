import { queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const plansQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'plans'],
    queryFn: ({ signal }) => allPages((query) => call('listPlans', { workspace: ws, query, signal })),
  })

export const subscriptionQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'subscription'],
    queryFn: ({ signal }) => call('getSubscription', { workspace: ws, signal }),
  })
