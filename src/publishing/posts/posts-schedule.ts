import type { Role } from '../../core/http/endpoint.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Post, Submission } from './api.ts'
import {
  approveByAct,
  refusePublishingNow,
  needsNewApproval,
  refuseUnapproved,
  requestApproval,
  withdrawApproval,
  actAfter,
} from './posts-approval.ts'
import { currentChecks, refuseFindings } from './posts-content.ts'
import { readPost } from './posts-read.ts'
import { dequeueTargets, enqueueTargets } from '../../delivery/deliveries.ts'
import { assertAllowed, lockPost, statusAfter, setStatus, timeToCome } from './posts-state.ts'
import { mayApprove } from './rules.ts'

// Scheduling a post, taking it off the schedule, publishing it now, and submitting it for approval.

type PostPorts = Pick<Ports, 'networks' | 'settings'>

/** The name of the review link through which a person without an account acted, for the audit. */
export type Via = { link?: string }

/**
 * Schedules a draft, or moves a scheduled post. Refuses a past time, lasting errors, and an unapproved post of a role
 * that needs approval. If such a role moves an approved post, it becomes a DRAFT again. The same time changes nothing.
 */
export async function schedulePost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  at: Date | undefined | ((tx: Tx, post: Post) => Promise<Date>),
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    assertAllowed(post, 'schedule')
    const wanted = typeof at === 'function' ? await at(tx, post) : at
    const time = timeToCome(wanted ?? (post.scheduledAt ? new Date(post.scheduledAt) : null), tx.now)
    const isThen = post.scheduledAt !== null && time.getTime() === Date.parse(post.scheduledAt)
    // The act of a member who may decide approves the post, even if its time stays.
    if (post.status === 'SCHEDULED' && isThen && (post.approved || !mayApprove(role))) return readPost(tx, ports, id)
    if (post.status === 'SCHEDULED' && (await needsNewApproval(tx, role))) {
      await withdrawApproval(tx, post)
      await takeBack(tx, post, { scheduledAt: time, approved: false })
      return readPost(tx, ports, id)
    }
    await refuseUnapproved(tx, role, post.approved)
    await putOnSchedule(tx, ports, post, time, await approveByAct(tx, role, post))
    return readPost(tx, ports, id)
  })
}

/** Puts a locked post on the schedule. Throws `validation_failed` for lasting errors, before it changes anything. */
export async function putOnSchedule(
  tx: Tx,
  ports: PostPorts,
  post: Post,
  time: Date,
  approved: boolean,
  via: Via = {},
) {
  const status = statusAfter(post, 'schedule')
  const checks = await currentChecks(tx, ports, post)
  refuseFindings(checks, 'schedule')
  await setStatus(tx, post, status, { scheduledAt: time, checks, approved })
  await enqueueTargets(tx, post.id, time)
  tx.record({ type: 'post.scheduled', subject: { postId: post.id }, data: { at: time.toISOString(), ...via } })
}

/**
 * Takes a scheduled post off the schedule. If publishing starts concurrently, exactly one of the two wins. If a role
 * that needs approval takes it back, the post must be approved again.
 */
export async function cancelPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    assertAllowed(post, 'cancel')
    const mustBeApproved = await needsNewApproval(tx, role)
    if (mustBeApproved) await withdrawApproval(tx, post)
    await takeBack(tx, post, mustBeApproved ? { approved: false } : {})
    return readPost(tx, ports, id)
  })
}

/** Takes a locked post off the schedule. */
export async function takeBack(
  tx: Tx,
  post: Post,
  change: { scheduledAt?: Date; approved?: boolean } = {},
  via: Via = {},
): Promise<void> {
  await setStatus(tx, post, statusAfter(post, 'cancel'), change)
  await dequeueTargets(tx, [post.id])
  tx.record({ type: 'post.cancelled', subject: { postId: post.id }, data: { ...via } })
}

/**
 * Publishes a post now. Refuses every error of the checks. For a role that needs approval, it also refuses an
 * unapproved post, and a scheduled one, whose time was approved with it.
 */
export async function publishPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    assertAllowed(post, 'publish')
    await refusePublishingNow(tx, role, post)
    await sendNow(tx, ports, post, await approveByAct(tx, role, post))
    return readPost(tx, ports, id)
  })
}

/**
 * Publishes a locked post now. Throws `validation_failed` for every error of the checks, before it changes anything.
 */
export async function sendNow(tx: Tx, ports: PostPorts, post: Post, approved: boolean, via: Via = {}): Promise<void> {
  const status = statusAfter(post, 'publish')
  const checks = await currentChecks(tx, ports, post)
  refuseFindings(checks, 'publish')
  // A post that is published ahead of its time leaves the schedule.
  await setStatus(tx, post, status, { checks, approved, scheduledAt: null })
  await enqueueTargets(tx, post.id, 'now')
  tx.record({ type: 'post.publish_requested', subject: { postId: post.id }, data: { ...via } })
}

/** Requests approval of a draft as it is. Refuses lasting errors, and a post that already waits for approval. */
export async function submitPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  submission: Submission,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    assertAllowed(post, 'submit')
    if (actAfter(submission, post) === 'schedule')
      timeToCome(post.scheduledAt ? new Date(post.scheduledAt) : null, tx.now)
    refuseFindings(await currentChecks(tx, ports, post), 'schedule')
    await requestApproval(tx, post, submission)
    return readPost(tx, ports, id)
  })
}
