import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import { sweepAccounts, syncAccount } from './sync.ts'

export function metricsJobs(
  services: Services,
  platform: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'analytics-sync'> {
  return {
    'analytics-sync': (scope, data) =>
      'accountId' in data ? syncAccount(scope, platform, services, data.accountId) : sweepAccounts(scope, platform),
  }
}
