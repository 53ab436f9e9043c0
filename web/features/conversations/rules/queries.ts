import '../endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'

/** The escalation rules in order. Workspace hints invalidate them (web/live.ts). */
export const rulesQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'escalation-rules'],
    queryFn: async ({ signal }) => (await call('listEscalationRules', { workspace: ws, signal })).data,
  })
