import { queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const setsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'workspace', 'hashtag-sets'],
    queryFn: ({ signal }) => allPages((query) => call('listHashtagSets', { workspace: ws, query, signal })),
  })

export const templatesQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'workspace', 'templates'],
    queryFn: ({ signal }) => allPages((query) => call('listTemplates', { workspace: ws, query, signal })),
  })
