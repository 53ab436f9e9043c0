import type { JobHandlers } from '../../core/platform/jobs.ts'
import { eraseWorkspace } from './deletion.ts'

export const workspaceJobs = (): Pick<JobHandlers, 'workspace-erasure'> => ({
  'workspace-erasure': (scope) => eraseWorkspace(scope),
})
