import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Services } from '../../services.ts'
import { mailNotices } from './notifications-mail.ts'

export function notificationJobs(services: Services): Pick<JobHandlers, 'notification-mail'> {
  return {
    'notification-mail': (scope, { userId }) => mailNotices(scope, services, userId),
  }
}
