import type { Log } from '../core/platform/log.ts'
import type { Scope, Scopes } from '../core/platform/scope.ts'

/** Acts for the machine itself, where no person does. */
export const PUBLISHER = { kind: 'system', name: 'publisher' } as const

/**
 * Handles posts one after another, each in a scope of its workspace. A failure with one post is logged, and does not
 * stop the next. It starts no post after `isStopped`. Returns whether all that it started succeeded.
 */
export async function forEachPost<P extends { workspaceId: string; postId: string }>(
  { scopes, log, isStopped }: { scopes: Pick<Scopes, 'scope'>; log: Log; isStopped(): boolean },
  posts: readonly P[],
  work: (scope: Scope, post: P) => Promise<void>,
): Promise<boolean> {
  let allSucceeded = true
  for (const post of posts) {
    if (isStopped()) break
    try {
      await work(scopes.scope(post.workspaceId, PUBLISHER), post)
    } catch (error) {
      allSucceeded = false
      log.warn({ err: error, postId: post.postId }, 'a post could not be moved on; it is tried again')
    }
  }
  return allSucceeded
}
