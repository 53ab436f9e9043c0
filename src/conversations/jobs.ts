import type { JobHandlers } from '../core/platform/jobs.ts'
import type { Scopes } from '../core/platform/scope.ts'
import type { Services } from '../services.ts'
import { applyEvents } from './apply.ts'
import { eraseCustomer } from './audience/erasure.ts'
import { wakeThread } from './threads.ts'
import { tellWaits, watchInboxes } from './watch.ts'

export function conversationJobs(
  services: Services,
  platform: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'webhook-process' | 'thread-wake' | 'inbox-watch' | 'customer-erasure'> {
  return {
    'webhook-process': (scope, { accountId }) => applyEvents(scope, services, accountId),
    'customer-erasure': (scope, { customerId }) => eraseCustomer(scope, services, customerId),
    'thread-wake': (scope, { threadId }) => wakeThread(scope, threadId),
    'inbox-watch': (scope, { own }) => (own ? tellWaits(scope) : watchInboxes(scope, platform)),
  }
}
