import type { JobHandlers } from '../core/platform/jobs.ts'
import type { Services } from '../services.ts'
import { applyEvents } from './apply.ts'

export function conversationJobs(services: Services): Pick<JobHandlers, 'webhook-process'> {
  return { 'webhook-process': (scope, { accountId }) => applyEvents(scope, services, accountId) }
}
