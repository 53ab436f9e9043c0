import type { JobHandlers } from '../platform/jobs.ts'
import { remind } from './approvals.ts'

export function approvalJobs(): Pick<JobHandlers, 'approval-reminder'> {
  return { 'approval-reminder': (scope, { approvalId }) => remind(scope, approvalId) }
}
