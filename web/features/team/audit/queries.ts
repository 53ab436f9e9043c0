import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

interface AuditFilter {
  action?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export const auditQuery = (ws: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'audit', filter],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listAudit', { workspace: ws, query: { ...filter, limit: 50, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })
