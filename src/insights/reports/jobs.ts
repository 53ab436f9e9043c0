import type { JobHandlers } from '../../core/platform/jobs.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Services } from '../../services.ts'
import { mailReport, sendReportMail, sweepReports } from './monthly.ts'

export function reportJobs(
  services: Services,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, 'report-monthly' | 'report-mail'> {
  return {
    'report-monthly': (scope, data) =>
      'reportId' in data ? mailReport(scope, services, data.reportId, data.mailOn) : sweepReports(scope, scopes),
    'report-mail': (scope, { mailId }) => sendReportMail(scope, services, mailId),
  }
}
