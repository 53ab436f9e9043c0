import type { JobHandlers } from '../platform/jobs.ts'
import { eraseWorkspace } from './deletion.ts'

export const workspaceJobs = (): Pick<JobHandlers, 'workspace-erasure'> => ({
  'workspace-erasure': (scope) => eraseWorkspace(scope),
})
