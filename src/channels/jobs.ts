import type { JobHandlers } from '../core/platform/jobs.ts'
import type { Services } from '../services.ts'
import { revokeAccount } from './accounts.ts'
import { refreshAccount } from './accounts-refresh.ts'
import { subscribeAccount } from './accounts-webhooks.ts'

export function accountJobs(
  services: Services,
): Pick<JobHandlers, 'account-revocation' | 'token-refresh' | 'webhook-subscription'> {
  return {
    'account-revocation': (scope, data) => revokeAccount(scope, services, data),
    'webhook-subscription': (scope, { accountId }) => subscribeAccount(scope, services, accountId),
    'token-refresh': (scope, data) => refreshAccount(scope, services, data),
  }
}
