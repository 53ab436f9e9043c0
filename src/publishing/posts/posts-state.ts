import type { RawBuilder } from 'kysely'
import { AppError, invalid } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import { refuseStale } from '../../core/platform/patch.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Post } from './api.ts'
import { readPost } from './posts-read.ts'
import { type Act, allowed, next } from './rules.ts'

// Locking a post, checking that its status allows an act, and saving its new status or approval.

/**
 * Returns the status of a post after an act. Throws `invalid_state` or `already_published` if the status does not allow
 * it, and `outcome_unknown` if the act could lose track of a target whose outcome is unknown.
 */
export function statusAfter(post: Post, act: Act): Post['status'] {
  const status = next(post.status, act)
  const unknown = post.publications.some((each) => each.state === 'UNCONFIRMED' && !each.dropped)
  if (unknown && post.status !== 'PUBLISHING' && act !== 'cancel' && act !== 'retry') {
    throw new AppError('outcome_unknown')
  }
  if (
    status === undefined &&
    (post.status === 'PUBLISHED' || (post.status === 'PARTIALLY_PUBLISHED' && act !== 'cancel'))
  ) {
    throw new AppError('already_published', undefined, { current: post.status, allowed: allowed(post.status) })
  }
  if (post.status === 'PUBLISHING' || status === undefined) {
    throw new AppError('invalid_state', `This isn’t possible while the post is ${post.status}.`, {
      current: post.status,
      allowed: allowed(post.status),
    })
  }
  return status
}

/** Throws what `statusAfter` throws, unless the post allows the act. */
export function assertAllowed(post: Post, act: Act): void {
  statusAfter(post, act)
}

/**
 * Locks a post against other changes until the transaction ends, and returns it. Throws `not_found`, also for a deleted
 * post, and `stale_version`.
 */
export async function lockPost(tx: Tx, ports: Pick<Ports, 'settings'>, id: string, ifMatch?: number): Promise<Post> {
  tx.lock(query`select from post where workspace_id = ${tx.workspaceId} and id = ${id} for update`)
  const post = await readPost(tx, ports, id)
  if (post.deletedAt !== null) throw new AppError('not_found')
  refuseStale(post.version, ifMatch)
  return post
}

/** A time up to this many milliseconds ago counts as now. */
const GRACE = 60_000

/** Returns the time to publish at: a recent time counts as now, an older one is refused. */
export function timeToCome(at: Date | null, now: Date): Date {
  if (!at) throw invalid({ path: '/scheduledAt', code: 'required', message: 'Choose a time.' })
  if (at.getTime() < now.getTime() - GRACE) {
    throw invalid({ path: '/scheduledAt', code: 'in_the_past', message: 'This time has passed. Choose a later one.' })
  }
  return at.getTime() < now.getTime() ? now : at
}

/** Saves a status if the post still has the expected one, else throws `invalid_state`. */
export async function setStatus(
  tx: Tx,
  post: Pick<Post, 'id' | 'status'>,
  status: Post['status'],
  change: { scheduledAt?: Date | null; checks?: Post['checks']; approved?: boolean } = {},
): Promise<void> {
  await tx.one(
    query`update post set status = ${status}, version = version + 1, updated_at = ${tx.now},
      approved = ${change.approved ?? sql`approved`},
      scheduled_at = ${change.scheduledAt === undefined ? sql`scheduled_at` : change.scheduledAt},
      checks = ${change.checks === undefined ? sql`checks` : JSON.stringify(change.checks)}
      where workspace_id = ${tx.workspaceId} and id = ${post.id} and status = ${post.status} returning id`,
    'invalid_state',
    { current: post.status, allowed: allowed(post.status) },
  )
}

/** Saves whether a post with the expected status is approved, else throws `invalid_state`. */
export async function setApproved(tx: Tx, post: Pick<Post, 'id' | 'status'>, approved: boolean): Promise<void> {
  await tx.one(
    query`update post set approved = ${approved}, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${post.id} and status = ${post.status} returning id`,
    'invalid_state',
    { current: post.status, allowed: allowed(post.status) },
  )
}

/** Starts a scheduled post whose time passed a day ago or more. Returns whether there was one. */
export async function startMissed(tx: Tx, postId: string): Promise<boolean> {
  const started = await tx.run(query`update post set status = 'PUBLISHING', late = true, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = ${postId} and status = 'SCHEDULED'
      and scheduled_at <= app_now() - interval '24 hours' returning id`)
  return started.length > 0
}

/** Starts a scheduled post whose time has come. Throws `invalid_state`. */
export async function startOverdue(tx: Tx, postId: string): Promise<void> {
  await tx.one(
    query`update post set status = 'PUBLISHING', updated_at = ${tx.now} where workspace_id = ${tx.workspaceId}
      and id = ${postId} and status = 'SCHEDULED' and scheduled_at <= app_now() returning id`,
    'invalid_state',
    { current: 'SCHEDULED', allowed: [] },
  )
}

export interface Drafted {
  id: string
  scheduledAt: string
  caption: string
}

/**
 * Turns all scheduled posts whose time has come into drafts. They lose their approval under a condition on the
 * workspace. Returns them in any order.
 */
export const draftOverdue = (tx: Tx, disapproves: RawBuilder<unknown>): Promise<Drafted[]> =>
  tx.run(query<Drafted>`update post set status = 'DRAFT', approved = approved and not ${disapproves},
      version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and deleted_at is null and status = 'SCHEDULED' and scheduled_at <= app_now()
    returning id, iso(scheduled_at) as scheduled_at, caption`)
