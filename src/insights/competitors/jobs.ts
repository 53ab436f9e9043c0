import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import { readCompetitor, sweepCompetitors } from './reading.ts'

export function competitorJobs(
  services: Services,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'competitor-reading'> {
  return {
    'competitor-reading': (scope, data) =>
      'competitorId' in data ? readCompetitor(scope, services, data.competitorId) : sweepCompetitors(scope, scopes),
  }
}
