import '../endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'

/** The escalation rules in order. Workspace hints invalidate them (web/live.ts). */
export const rulesQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'escalation-rules'],
    queryFn: ({ signal }) => allPages((query) => call('listEscalationRules', { workspace: ws, query, signal })),
  })
