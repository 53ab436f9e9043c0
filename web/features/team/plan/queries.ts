import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const plansQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'plans'],
    queryFn: async ({ signal }) => (await call('listPlans', { workspace: ws, signal })).data,
  })

export const subscriptionQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'subscription'],
    queryFn: ({ signal }) => call('getSubscription', { workspace: ws, signal }),
  })
