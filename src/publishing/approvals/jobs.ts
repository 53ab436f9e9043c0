import type { JobHandlers } from '../../core/platform/jobs.ts'
import { remind } from './approvals.ts'

export function approvalJobs(): Pick<JobHandlers, 'approval-reminder'> {
  return { 'approval-reminder': (scope, { approvalId }) => remind(scope, approvalId) }
}
