import { revokeAccount } from '../../channels/accounts.ts'
import { refreshAccount } from '../../channels/accounts-refresh.ts'
import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Services } from '../../services.ts'
import { recheckPosts, wakeAccount } from './publishing.ts'
import { postDriver } from './post.ts'
import { lookUpId } from './remote-id.ts'

type Handled = 'flight-check' | 'account-revocation' | 'token-refresh' | 'id-lookup'

export function publishingJobs(services: Services): Pick<JobHandlers, Handled> {
  return {
    'flight-check': async (scope, data) => {
      if ('accountId' in data) await wakeAccount(scope, data.accountId)
      await recheckPosts(scope, services, data)
    },
    'account-revocation': (scope, data) => revokeAccount(scope, services, data),
    'token-refresh': (scope, data) => refreshAccount(scope, services, data),
    'id-lookup': (scope, data) => lookUpId(scope, { ...services, driver: postDriver }, data),
  }
}
