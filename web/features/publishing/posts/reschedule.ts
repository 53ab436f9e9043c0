import type { Post } from '../../../../src/publishing/posts/api.ts'
import { allowed } from '../../../../src/publishing/posts/rules.ts'
import { call } from '../../../client.ts'

/** Whether a post's time can change, which requires that its status allows scheduling. */
export const isMovable = ({ status }: Pick<Post, 'status'>) => allowed(status).includes('schedule')

/** Changes a post's time. A scheduled post stays scheduled; a draft stays a draft with a planned time. */
export const reschedule = (ws: string, post: Pick<Post, 'id' | 'status' | 'version'>, at: string | null) => {
  const where = { workspace: ws, params: { id: post.id }, ifMatch: post.version }
  return post.status === 'SCHEDULED' && at
    ? call('schedulePost', { ...where, body: { scheduledAt: at } })
    : call('updatePost', { ...where, body: { scheduledAt: at } })
}
