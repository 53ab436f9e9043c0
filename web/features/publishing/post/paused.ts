import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { Workspace } from '../../../../src/team/workspaces/api.ts'

/** Whether a post would be published now if publishing were not paused. */
export const waitsForPause = ({ status, scheduledAt }: Post, { publishing }: Workspace) =>
  publishing.paused &&
  (status === 'PUBLISHING' || (status === 'SCHEDULED' && scheduledAt !== null && Date.parse(scheduledAt) <= Date.now()))
