import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'

/** Every check spends network calls, so only a person repeats it. */
export const doctorQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'doctor', id],
    queryFn: ({ signal }) => call('examineSocialAccount', { workspace: ws, params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
