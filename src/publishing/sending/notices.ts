import { notify } from '../../team/notifications/notifications.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { excerpt } from '../posts/posts-approval.ts'
import type { Publication, Status } from '../posts/api.ts'

// The notices about an attempt to publish a post.

/**
 * Notifies the author of a post and the admins, once, that an attempt ended FAILED or PARTIALLY_PUBLISHED. The person
 * who ended it by a stop is left out, unless a target failed for another reason.
 */
export async function tellOfOutcome(
  tx: Tx,
  postId: string,
  status: Status,
  targets: readonly { state: Publication['state']; dropped: boolean; code: string | null }[],
): Promise<void> {
  if (status !== 'FAILED' && status !== 'PARTIALLY_PUBLISHED') return
  const missing = targets.filter(({ state, dropped }) => state !== 'PUBLISHED' && !dropped)
  const unknown = missing.some(({ state }) => state === 'UNCONFIRMED')
  const stopped = missing.length > 0 && missing.every(({ code }) => code === 'stopped')
  const except = stopped ? userIdOf(tx.actor) : null
  await tellTeam(
    tx,
    postId,
    unknown ? 'outcome_unknown' : 'post_failed',
    { status, ...(stopped && { stoppedBy: await stoppedBy(tx, postId) }) },
    except,
  )
}

/** Returns the names of the people who stopped targets of a post. */
async function stoppedBy(tx: Tx, postId: string): Promise<string[]> {
  const people = await tx.run(query<{ name: string }>`select distinct u.name from publication t
    join app_user u on u.id = (t.error ->> 'by')::uuid
    where t.workspace_id = ${tx.workspaceId} and t.post_id = ${postId} and t.dropped_at is null order by 1`)
  return people.map(({ name }) => name)
}

/** Notifies the author of a post and the admins. A delay also goes to the editors, who may retry or stop. */
export async function tellTeam(
  tx: Tx,
  postId: string,
  kind: 'outcome_unknown' | 'post_failed' | 'post_delayed',
  data: object,
  except: string | null = null,
): Promise<void> {
  const [post] = await tx.run(query<{ createdBy: string | null; caption: string }>`
    select created_by, caption from post where workspace_id = ${tx.workspaceId} and id = ${postId}`)
  if (!post) return
  const roles = kind === 'post_delayed' ? ['OWNER', 'ADMIN', 'EDITOR'] : ['OWNER', 'ADMIN']
  const who = { roles, members: post.createdBy === null ? [] : [post.createdBy], except }
  await notify(tx, who, kind, { postId, excerpt: excerpt(post), ...data })
}
