import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const setsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'workspace', 'hashtag-sets'],
    queryFn: async ({ signal }) => (await call('listHashtagSets', { workspace: ws, signal })).data,
  })

export const templatesQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'workspace', 'templates'],
    queryFn: async ({ signal }) => (await call('listTemplates', { workspace: ws, signal })).data,
  })
