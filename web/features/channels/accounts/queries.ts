import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'

/** Every look costs calls of the network's limit: only a person asks again. */
export const doctorQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'doctor', id],
    queryFn: ({ signal }) => call('examineSocialAccount', { workspace: ws, params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
