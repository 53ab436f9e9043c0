import type { JobHandlers } from '../platform/jobs.ts'
import type { Services } from '../services.ts'
import { sendReset } from './password.ts'

export function identityJobs(services: Services): Pick<JobHandlers, 'password-reset'> {
  return { 'password-reset': (scope, { email }) => sendReset(scope, services, email) }
}
