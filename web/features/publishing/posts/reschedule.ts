import type { Post } from '../../../../src/publishing/posts/api.ts'
import { allowed } from '../../../../src/publishing/posts/rules.ts'
import { call } from '../../../client.ts'

/** A post can be given another time as long as it could be scheduled. */
export const isMovable = ({ status }: Pick<Post, 'status'>) => allowed(status).includes('schedule')

/** Gives a post another time: a scheduled one stays scheduled, a draft stays a draft with a time in mind. */
export const reschedule = (ws: string, post: Pick<Post, 'id' | 'status' | 'version'>, at: string | null) => {
  const where = { workspace: ws, params: { id: post.id }, ifMatch: post.version }
  return post.status === 'SCHEDULED' && at
    ? call('schedulePost', { ...where, body: { scheduledAt: at } })
    : call('updatePost', { ...where, body: { scheduledAt: at } })
}
