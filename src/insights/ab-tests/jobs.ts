import type { JobHandlers } from '../../core/platform/jobs.ts'
import { checkTest } from './settling.ts'

export const abTestJobs = (): Pick<JobHandlers, 'ab-test-check'> => ({
  'ab-test-check': (scope, { testId }) => checkTest(scope, testId),
})
