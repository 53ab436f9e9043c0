import type { Post } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'

/** Restores a deleted post, and schedules it again if it was. Takes the post as it was before. */
export async function restoreDeleted(
  workspace: string,
  { id, status, scheduledAt }: Pick<Post, 'id' | 'status' | 'scheduledAt'>,
): Promise<Post> {
  const at = { workspace, params: { id } }
  const restored = await call('restorePost', at)
  if (status !== 'SCHEDULED') return restored
  return call('schedulePost', {
    ...at,
    ifMatch: restored.version,
    body: { scheduledAt: scheduledAt ?? undefined },
  })
}
