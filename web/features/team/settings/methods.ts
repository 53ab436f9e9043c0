import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'

export const methodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: ({ signal }) => call('getSignInMethods', { signal }),
})
