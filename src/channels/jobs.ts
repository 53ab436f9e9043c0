import type { JobHandlers } from '../core/platform/jobs.ts'
import type { Services } from '../services.ts'
import { revokeAccount } from './accounts.ts'
import { refreshAccount } from './accounts-refresh.ts'

export function accountJobs(services: Services): Pick<JobHandlers, 'account-revocation' | 'token-refresh'> {
  return {
    'account-revocation': (scope, data) => revokeAccount(scope, services, data),
    'token-refresh': (scope, data) => refreshAccount(scope, services, data),
  }
}
