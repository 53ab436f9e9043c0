import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Services } from '../../services.ts'
import { deliverCode } from './codes.ts'
import { sendReset } from './password.ts'

export function identityJobs(services: Services): Pick<JobHandlers, 'password-reset' | 'one-time-code'> {
  return {
    'password-reset': (scope, job) => sendReset(scope, services, job),
    'one-time-code': (scope, job) => deliverCode(scope, services, job),
  }
}
