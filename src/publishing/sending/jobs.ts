import type { JobHandlers } from '../../core/platform/jobs.ts'
import { wakeAccount } from '../../delivery/waits.ts'
import type { Services } from '../../services.ts'
import { recheckPosts } from './recheck.ts'
import { postDriver } from './post.ts'
import { lookUpId } from './remote-id.ts'

type Handled = 'flight-check' | 'id-lookup'

export function publishingJobs(services: Services): Pick<JobHandlers, Handled> {
  return {
    'flight-check': async (scope, data) => {
      if ('accountId' in data) await scope.transaction((tx) => wakeAccount(tx, data.accountId))
      await recheckPosts(scope, services, data)
    },
    'id-lookup': (scope, data) => lookUpId(scope, { ...services, driver: postDriver }, data),
  }
}
