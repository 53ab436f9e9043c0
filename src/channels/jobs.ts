import type { JobHandlers } from '../core/platform/jobs.ts'
import type { Scopes } from '../core/platform/scope.ts'
import type { Services } from '../services.ts'
import { revokeAccount } from './accounts.ts'
import { refreshAccount } from './accounts-refresh.ts'
import { subscribeAccount, subscribeOthers } from './accounts-webhooks.ts'

export function accountJobs(
  services: Services,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'account-revocation' | 'token-refresh' | 'webhook-subscription'> {
  return {
    'account-revocation': async (scope, data) => {
      await revokeAccount(scope, scopes, services, data)
      await subscribeOthers(scope, scopes, { accountId: data.accountId, networkUser: data.userKey })
    },
    'webhook-subscription': (scope, { accountId }) => subscribeAccount(scope, services, accountId),
    'token-refresh': (scope, data) => refreshAccount(scope, services, data),
  }
}
