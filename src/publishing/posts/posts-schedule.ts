import type { Role } from '../../core/http/endpoint.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import type { Post, Submission } from './api.ts'
import { approveByAct, demandedAnew, refuseUnapproved, requestApproval, withdrawApproval } from './posts-approval.ts'
import { currentChecks, refuseFindings } from './posts-content.ts'
import { readPost } from './posts-read.ts'
import { dequeueTargets, enqueueTargets } from '../../delivery/deliveries.ts'
import { lockPost, lookNow, refuse, setStatus, timeToCome } from './posts-state.ts'

// When a post goes out: put on the schedule, taken off it, sent at once, or after approval.

type PostPorts = Pick<Ports, 'networks' | 'settings'>

/** For whom the review link was made by which somebody without an account acted: the audit names them. */
export type Via = { link?: string }

/**
 * Schedules a draft, or moves a scheduled post. Refuses a past time and what can never be right, and of who needs an approval what
 * has none. Moved by them, what was approved becomes a DRAFT again.
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
    refuse(post, 'schedule')
    const wanted = typeof at === 'function' ? await at(tx, post) : at
    const time = timeToCome(wanted ?? (post.scheduledAt ? new Date(post.scheduledAt) : null), tx.now)
    if (post.status === 'SCHEDULED' && (await demandedAnew(tx, role))) {
      await withdrawApproval(tx, post)
      await takeBack(tx, post, { scheduledAt: time, approved: false })
      return readPost(tx, ports, id)
    }
    await refuseUnapproved(tx, role, post.approved)
    await putOnSchedule(tx, ports, post, time, await approveByAct(tx, role, post))
    return readPost(tx, ports, id)
  })
}

/** Puts a locked post on the schedule. Throws `validation_failed`, having changed nothing, for what can never be right. */
export async function putOnSchedule(
  tx: Tx,
  ports: PostPorts,
  post: Post,
  time: Date,
  approved: boolean,
  via: Via = {},
) {
  const status = refuse(post, 'schedule')
  const checks = await currentChecks(tx, ports, post)
  refuseFindings(checks, 'schedule')
  await setStatus(tx, post, status, { scheduledAt: time, checks, approved })
  await enqueueTargets(tx, post.id, time)
  lookNow(tx, post.id)
  tx.record({ type: 'post.scheduled', subject: { postId: post.id }, data: { at: time.toISOString(), ...via } })
}

/**
 * Takes a scheduled post back. Against a start at the same moment exactly one of the two wins. Taken back by who needs an approval,
 * it is to be approved again.
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
    refuse(post, 'cancel')
    const anew = await demandedAnew(tx, role)
    if (anew) await withdrawApproval(tx, post)
    await takeBack(tx, post, anew ? { approved: false } : {})
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
  await setStatus(tx, post, refuse(post, 'cancel'), change)
  await dequeueTargets(tx, [post.id])
  tx.record({ type: 'post.cancelled', subject: { postId: post.id }, data: { ...via } })
}

/** Publishes now. Refuses every error of the checks, and of who needs an approval what has none. */
export async function publishPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    refuse(post, 'publish')
    await refuseUnapproved(tx, role, post.approved)
    await sendNow(tx, ports, post, await approveByAct(tx, role, post))
    return readPost(tx, ports, id)
  })
}

/** Publishes a locked post at once. Throws `validation_failed`, having changed nothing, for every error of the checks. */
export async function sendNow(tx: Tx, ports: PostPorts, post: Post, approved: boolean, via: Via = {}): Promise<void> {
  const status = refuse(post, 'publish')
  const checks = await currentChecks(tx, ports, post)
  refuseFindings(checks, 'publish')
  // Ahead of its time, it leaves the schedule.
  await setStatus(tx, post, status, { checks, approved, scheduledAt: null })
  await enqueueTargets(tx, post.id, 'now')
  tx.record({ type: 'post.publish_requested', subject: { postId: post.id }, data: { ...via } })
}

/** Asks for approval of a draft as it is. Refuses what can never be right, and what waits already. */
export async function submitPost(
  scope: Scope,
  ports: PostPorts,
  id: string,
  submission: Submission,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const post = await lockPost(tx, ports, id, ifMatch)
    refuse(post, 'submit')
    const act = submission.onApproval ?? (post.scheduledAt ? 'schedule' : 'draft')
    if (act === 'schedule') timeToCome(post.scheduledAt ? new Date(post.scheduledAt) : null, tx.now)
    refuseFindings(await currentChecks(tx, ports, post), 'schedule')
    await requestApproval(tx, post, submission)
    tx.emit({ kind: 'post', id })
    return readPost(tx, ports, id)
  })
}
