import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import { storeStoryEnd } from './store.ts'
import { sweepAccounts, syncAccount } from './sync.ts'

export function metricsJobs(
  services: Services,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'analytics-sync'> {
  return {
    async 'analytics-sync'(scope, data) {
      if ('story' in data) await storeStoryEnd(scope, data.accountId, data.story)
      else if ('accountId' in data) {
        await services.precedence.wait()
        await syncAccount(scope, scopes, services, data.accountId)
      } else await sweepAccounts(scope, scopes)
    },
  }
}
