import { revokeAccount } from '../accounts/accounts.ts'
import { refreshAccount } from '../accounts/accounts-refresh.ts'
import type { JobHandlers } from '../platform/jobs.ts'
import type { Services } from '../services.ts'
import { recheckPosts, wakeAccount } from './publishing.ts'

export function publishingJobs(
  services: Services,
): Pick<JobHandlers, 'flight-check' | 'account-revocation' | 'token-refresh'> {
  return {
    'flight-check': async (scope, data) => {
      if ('accountId' in data) await wakeAccount(scope, data.accountId)
      await recheckPosts(scope, services, data)
    },
    'account-revocation': (scope, data) => revokeAccount(scope, services, data),
    'token-refresh': (scope, data) => refreshAccount(scope, services, data),
  }
}
