import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import { checkTest, sweepTests } from './check-test.ts'

export function abTestJobs(scopes: Pick<Scopes, 'ask' | 'scope'>): Pick<JobHandlers, 'ab-test-check'> {
  return {
    'ab-test-check': (scope, data) => ('testId' in data ? checkTest(scope, data.testId) : sweepTests(scope, scopes)),
  }
}
