import { AppError, invalid } from '../../core/errors.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { backdateTargets } from '../../delivery/deliveries.ts'
import type { Post } from '../posts/api.ts'
import { lockPost } from '../posts/posts-state.ts'
import { readPost } from '../posts/posts-read.ts'
import { setPublishedAt } from '../posts/posts-save.ts'
import type { Ports } from '../../services.ts'

/**
 * Dates a published post into the past, so that a demo has weeks of history. Exists for sandbox networks only, since a
 * post on a real network has the age that the network reports. Throws `not_found`, `invalid_state`,
 * `validation_failed`.
 */
export async function backdatePost(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  id: string,
  publishedAt: Date,
): Promise<Post> {
  if (ports.settings.realNetworks) throw new AppError('not_found')
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id)
    if (publishedAt >= tx.now) {
      throw invalid({ path: '/publishedAt', code: 'not_in_the_past', message: 'Choose a time in the past.' })
    }
    await setPublishedAt(tx, post, publishedAt)
    await backdateTargets(tx, id, publishedAt)
    tx.record({ type: 'post.backdated', subject: { postId: id }, data: { publishedAt: publishedAt.toISOString() } })
    return readPost(tx, ports, id)
  })
}
