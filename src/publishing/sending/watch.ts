import { query } from '../../core/platform/db.ts'
import type { Scopes, Scope, Tx } from '../../core/platform/scope.ts'
import { delayed, failUnsent, noteDelay } from '../../delivery/deliveries.ts'
import type { Schedule } from '../../delivery/driver.ts'
import { forEachPost } from '../../delivery/for-each-post.ts'
import { wakeFirst } from '../../delivery/waits.ts'
import type { Publication, Status } from '../posts/api.ts'
import { setOutcome } from '../posts/posts-save.ts'
import { startMissed, startOverdue } from '../posts/posts-state.ts'
import { isOpen, outcome } from '../posts/rules.ts'
import { tellOfOutcome, tellTeam } from './notices.ts'

// Watches posts that nothing else moves on: missed, stuck and delayed ones.

type PostOf = { workspaceId: string; postId: string }

/**
 * Moves stuck posts on and notifies people of delayed ones, one after another. A failure with one post does not stop
 * the next. `after`: how many milliseconds of failures count as a delay. It ends early after `isStopped`.
 */
export async function watchPosts(parts: Parameters<Schedule['watch']>[0], after: number): Promise<void> {
  const { scopes, log } = parts
  const stuck = await findStuck(scopes)
  const lost = stuck.filter((post) => post.open).length
  if (lost > 0) log.error({ posts: lost }, 'posts had nothing that would move them on')
  await forEachPost(parts, stuck, (scope, { postId }) => unstick(scope, postId))
  await forEachPost(parts, await findDelayed(scopes, after), (scope, { postId }) => tellOfDelay(scope, postId, after))
}

/** Ends a post that is more than a day late: it becomes PUBLISHING, then FAILED together with its open targets. */
export async function endMissed(scope: Scope, postId: string, reason: string | null): Promise<void> {
  const why = reason === 'reconnect_needed' || reason === 'account_paused' ? reason : 'missed'
  await scope.transaction(async (tx) => {
    if (!(await startMissed(tx, postId))) return
    await failUnsent(tx, postId, why)
    await conclude(tx, postId)
    tx.record({ type: 'post.missed', subject: { postId }, data: { reason: why } })
  })
}

/** Moves a stuck post on: its first open target becomes due, or the post gets its outcome if there is none. */
export async function unstick(scope: Scope, postId: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const [post] = await tx.run(query<{ status: Status }>`select status from post where workspace_id = ${tx.workspaceId}
      and id = ${postId} and status in ('SCHEDULED', 'PUBLISHING') for update`)
    if (!post || (await wakeFirst(tx, postId))) return
    if (post.status === 'SCHEDULED') await startOverdue(tx, postId)
    await conclude(tx, postId)
  })
}

/** Notifies the author and everyone who may publish, once per attempt, that failures delay a post. */
async function tellOfDelay(scope: Scope, postId: string, after: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const accounts = await noteDelay(tx, postId, after)
    if (accounts.length > 0) await tellTeam(tx, postId, 'post_delayed', { accounts })
  })
}

/** Gives a PUBLISHING post without open targets its outcome. A post without any target is FAILED with `no_target`. */
async function conclude(tx: Tx, postId: string): Promise<void> {
  const targets = await tx.run(query<{ state: Publication['state']; dropped: boolean; code: string | null }>`
    select state, dropped_at is not null as dropped, error ->> 'code' as code from publication
    where workspace_id = ${tx.workspaceId} and post_id = ${postId}`)
  if (targets.some(isOpen)) return
  const counted = targets.filter((target) => !target.dropped)
  const status = outcome(counted)
  await setOutcome(tx, { id: postId, status: 'PUBLISHING' }, status)
  if (counted.length === 0) tx.record({ type: 'post.failed', subject: { postId }, data: { code: 'no_target' } })
  await tellOfOutcome(tx, postId, status, counted)
  tx.emit({ kind: 'post', id: postId })
}

/** Finds PUBLISHING posts with a delayed target. */
function findDelayed(scopes: Scopes, after: number): Promise<PostOf[]> {
  return scopes.ask(
    'watch',
    query<PostOf>`
      select distinct p.workspace_id, p.id as post_id from post p
      join publication t on t.workspace_id = p.workspace_id and t.post_id = p.id
      join workspace w on w.id = p.workspace_id
      where p.status = 'PUBLISHING' and p.deleted_at is null and w.deleted_at is null and ${delayed(after)}
      limit 1000`,
  )
}

/**
 * Finds posts that should move but have no next step. `open`: the post has an open target without a next step, which is
 * a fault.
 */
export function findStuck(scopes: Scopes): Promise<(PostOf & { open: boolean })[]> {
  return scopes.ask(
    'watch',
    query<PostOf & { open: boolean }>`
      select p.workspace_id, p.id as post_id, exists (select from publication t where t.workspace_id = p.workspace_id
        and t.post_id = p.id and t.dropped_at is null and t.state in ('PENDING', 'PREPARING', 'SUBMITTING')) as open
      from post p join workspace w on w.id = p.workspace_id
      where p.status in ('SCHEDULED', 'PUBLISHING') and (p.status = 'PUBLISHING' or p.scheduled_at <= app_now())
        and p.deleted_at is null and w.deleted_at is null
        and not exists (select from publication t where t.workspace_id = p.workspace_id and t.post_id = p.id
          and (t.next_at is not null or t.turn is not null or t.lease_until is not null))
      limit 1000`,
  )
}
