import '../endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'

/** The escalation rules, in their order. Hints of the workspace make them stale (web/live.ts). */
export const rulesQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'escalation-rules'],
    queryFn: async ({ signal }) => (await call('listEscalationRules', { workspace: ws, signal })).data,
  })
