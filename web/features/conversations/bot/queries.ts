import './endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const configQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'bot-config'],
    queryFn: ({ signal }) => call('getBotConfig', { workspace: ws, signal }),
  })
