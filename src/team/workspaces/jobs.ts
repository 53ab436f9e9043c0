import type { JobHandlers } from '../../core/platform/jobs.ts'
import { NO_WORKSPACE, type Scopes } from '../../core/platform/scope.ts'
import { eraseWorkspace, sweepErasures } from './deletion.ts'

export const workspaceJobs = (scopes: Pick<Scopes, 'ask' | 'scope'>): Pick<JobHandlers, 'workspace-erasure'> => ({
  'workspace-erasure': (scope) =>
    scope.workspaceId === NO_WORKSPACE ? sweepErasures(scope, scopes) : eraseWorkspace(scope),
})
