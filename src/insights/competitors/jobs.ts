import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Services } from '../../services.ts'
import { readCompetitor } from './reading.ts'

export const competitorJobs = (services: Services): Pick<JobHandlers, 'competitor-reading'> => ({
  'competitor-reading': (scope, { competitorId }) => readCompetitor(scope, services, competitorId),
})
