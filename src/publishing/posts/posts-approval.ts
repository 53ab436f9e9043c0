import type { RawBuilder } from 'kysely'
import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { beginning } from '../../core/texts/beginning.ts'
import { endNotices } from '../../team/notifications/notifications.ts'
import { isInPlan, refuseWithout } from '../../team/plans/plans.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Approval, Post, Submission } from './api.ts'
import { type ApprovalMode, demandsApproval, mayPublishNow, changeNeedsApproval, mayApprove } from './rules.ts'

// The part of approvals that posts need: making a request, and ending it when the post changes. `approvals` decides
// requests.

const person = (id: RawBuilder<unknown>, name: RawBuilder<unknown>, role: Role | null) =>
  sql`case when ${name} is not null then json_build_object('id', ${role === 'CLIENT' ? sql`null` : id}, 'name', ${name}) end`

/** A request `r` as the API returns it. */
export const approvalShape = (
  role: Role | null,
): RawBuilder<unknown> => sql`json_build_object('id', r.id, 'postId', r.post_id,
  'postVersion', r.post_version, 'state', r.state, 'asks', json_build_object('act', r.act, 'client', r.for_client),
  'requestedBy', (select ${person(sql`u.id`, sql`u.name`, role)} from app_user u where u.id = r.requested_by),
  'decidedBy', coalesce((select ${person(sql`u.id`, sql`u.name`, role)} from app_user u where u.id = r.decided_by),
    ${person(sql`null`, sql`r.decided_by_name`, role)}),
  'decidedAt', iso(r.decided_at), 'reason', r.reason, 'createdAt', iso(r.created_at))`

/** The latest request of a post `p`. */
export const latestApproval = (
  role: Role | null,
): RawBuilder<unknown> => sql`(select ${approvalShape(role)} from approval_request r
  where r.workspace_id = p.workspace_id and r.post_id = p.id order by r.id desc limit 1)`

/** Returns the approval mode of the workspace, or `none` if its plan has no approvals. */
export async function approvalMode(tx: Tx): Promise<ApprovalMode> {
  const { mode } = await tx.one(
    query<{ mode: ApprovalMode }>`select case when exists (select from subscription s
        join plan_feature f on f.plan_id = s.plan_id and f.feature_id = 'approvals' where s.workspace_id = w.id)
      then w.approval_mode else 'none' end as mode from workspace w where w.id = ${tx.workspaceId}`,
    'not_found',
  )
  return mode
}

/**
 * Throws `role_required` when an EDITOR schedules or publishes an unapproved post in a workspace that requires
 * approval.
 */
export async function refuseUnapproved(tx: Tx, role: Role | null, approved: boolean): Promise<void> {
  if (approved || role !== 'EDITOR') return
  if (!demandsApproval(await approvalMode(tx), role)) return
  throw new AppError('role_required', 'This workspace requires approval. Submit the post for approval first.', {
    required: 'ADMIN',
    actual: role,
  })
}

/**
 * Throws `role_required` when an EDITOR publishes a post now although it needs an approval, or is approved for another
 * time.
 */
export async function refusePublishingNow(
  tx: Tx,
  role: Role | null,
  post: Pick<Post, 'status' | 'approved'>,
): Promise<void> {
  if (role !== 'EDITOR' || mayPublishNow(await approvalMode(tx), role, post)) return
  const why = post.approved
    ? 'This post is approved for its scheduled time. Ask an admin to publish it now.'
    : 'This workspace requires approval. Submit the post for approval first.'
  throw new AppError('role_required', why, { required: 'ADMIN', actual: role })
}

/** Returns what happens to a submitted post on its approval. */
export const actAfter = ({ onApproval }: Submission, { scheduledAt }: Pick<Post, 'scheduledAt'>) =>
  onApproval ?? (scheduledAt ? 'schedule' : 'draft')

/** A post asks for approval, also by a client if `client` is set. */
export interface ApprovalRequested extends DomainEvent {
  type: 'approval.requested'
  subject: { postId: string; approvalId: string }
  data: { act: string; client: boolean }
  context: { requestedBy: string | null; excerpt: string }
}

/**
 * Requests approval of a post as it is. Those who can decide are notified. Throws `feature_not_in_plan`,
 * `validation_failed`, and `invalid_state` if a request is open.
 */
export async function requestApproval(tx: Tx, post: Post, submission: Submission): Promise<void> {
  await refuseWithout(tx, 'approvals')
  const mode = await approvalMode(tx)
  const { client } = submission
  const act = actAfter(submission, post)
  // A client decides only posts with a time: publishing at once is up to those who answer for the workspace.
  const clientMayDecide = post.scheduledAt !== null && act !== 'publish'
  if (client && !clientMayDecide) {
    const message = 'Clients can only approve posts with a scheduled time. Schedule the post, or ask without a client.'
    throw invalid({ path: '/client', code: 'needs_time', message })
  }
  const asksClient = clientMayDecide && (mode === 'required_with_client' || (client ?? true))
  const id = uuidv7()
  const requestedBy = userIdOf(tx.actor)
  const [made] =
    await tx.run(query`insert into approval_request (workspace_id, id, post_id, post_version, state, act, for_client, requested_by, created_at)
    values (${tx.workspaceId}, ${id}, ${post.id}, ${post.version}, 'PENDING', ${act}, ${asksClient}, ${requestedBy}, ${tx.now})
    on conflict (workspace_id, post_id) where state = 'PENDING' do nothing returning id`)
  if (!made) throw new AppError('invalid_state', 'This post is already in review.', { current: 'PENDING', allowed: [] })
  tx.record({
    type: 'approval.requested',
    subject: { postId: post.id, approvalId: id },
    data: { act, client: asksClient },
    context: { requestedBy, excerpt: excerpt(post) },
  } satisfies ApprovalRequested)
}

export const excerpt = ({ caption }: Pick<Post, 'caption'>) => beginning(caption, 80)

/** Withdraws an open request or a given approval, because the post has changed. Returns whether there was one. */
export async function withdrawApproval(tx: Tx, post: Pick<Post, 'id' | 'approval'>): Promise<boolean> {
  const { approval } = post
  if (approval?.state !== 'PENDING' && approval?.state !== 'APPROVED') return false
  await tx.one(
    query`update approval_request set state = 'WITHDRAWN', decided_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${approval.id} and state = ${approval.state} returning id`,
    'invalid_state',
    { current: approval.state, allowed: [] },
  )
  await endRequest(tx, { id: approval.id, postId: post.id }, 'WITHDRAWN')
  tx.record({ type: 'approval.withdrawn', subject: { postId: post.id, approvalId: approval.id } })
  return true
}

/** Withdraws the latest request or approval of each post, where the condition `only` holds. */
export async function withdrawApprovals(tx: Tx, postIds: readonly string[], only: ReturnType<typeof sql>) {
  const withdrawn = await tx.run(query<{ id: string; postId: string }>`update approval_request r
    set state = 'WITHDRAWN', decided_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and post_id = any(${postIds}::uuid[]) and state in ('PENDING', 'APPROVED')
      and ${only} and not exists (select from approval_request l
        where l.workspace_id = r.workspace_id and l.post_id = r.post_id and l.id > r.id)
    returning id, post_id`)
  for (const { id, postId } of withdrawn) {
    await endRequest(tx, { id, postId }, 'WITHDRAWN')
    tx.record({ type: 'approval.withdrawn', subject: { postId, approvalId: id } })
  }
}

/**
 * Withdraws an open request by its id. Throws `invalid_state` with the state that the caller saw if it is no longer
 * open.
 */
export async function withdrawRequested(tx: Tx, id: string, current: Approval['state']): Promise<void> {
  const { postId } = await tx.one(
    query<{ postId: string }>`update approval_request set state = 'WITHDRAWN', decided_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${id} and state = 'PENDING' returning post_id`,
    'invalid_state',
    { current, allowed: [] },
  )
  await endRequest(tx, { id, postId }, 'WITHDRAWN')
}

/**
 * Marks the notices of a request with how it ended. `by` is the person who decided, by id or by the name of their link.
 */
const endRequest = (
  tx: Tx,
  { id, postId }: { id: string; postId: string },
  state: Exclude<Approval['state'], 'PENDING'>,
  by: { id: string | null; name: string | null } = { id: null, name: null },
) =>
  endNotices(tx, {
    kind: 'approval_requested',
    postId,
    since: id,
    state,
    by: sql`coalesce(${by.name}::text, (select name from app_user where id = ${by.id}))`,
  })

/**
 * Stores a decision on the open request, or, without one, as a new request that is already decided. Returns its id.
 * Throws `invalid_state` if the request is no longer open.
 */
export async function recordDecision(
  tx: Tx,
  post: Pick<Post, 'id' | 'version' | 'createdBy'>,
  requestId: string | undefined,
  decision: { state: 'APPROVED' | 'REJECTED'; by: string | null; name: string | null; reason: string | null },
): Promise<string> {
  const { state, by, name, reason } = decision
  if (requestId === undefined) {
    const id = uuidv7()
    await tx.run(query`insert into approval_request (workspace_id, id, post_id, post_version, state, act, for_client,
        requested_by, decided_by, decided_by_name, decided_at, reason, created_at)
      values (${tx.workspaceId}, ${id}, ${post.id}, ${post.version}, ${state}, 'schedule', true, ${post.createdBy?.id ?? null},
        ${by}, ${name}, ${tx.now}, ${reason}, ${tx.now})`)
    return id
  }
  await tx.one(
    query`update approval_request set state = ${state}, decided_by = ${by}, decided_by_name = ${name},
        decided_at = ${tx.now}, reason = ${reason}
        where workspace_id = ${tx.workspaceId} and id = ${requestId} and state = 'PENDING' returning id`,
    'invalid_state',
    { current: 'PENDING', allowed: [] },
  )
  await endRequest(tx, { id: requestId, postId: post.id }, state, { id: by, name })
  return requestId
}

/** Enqueues the next reminder of a request, in place of one that waits. */
export const enqueueReminder = (tx: Tx, approvalId: string, runAt: Date) =>
  void tx.enqueue('approval-reminder', { approvalId }, { key: `approval-reminder:${approvalId}`, runAt })

/**
 * Locks an open request and returns what its reminder depends on. `isHeld`: nobody is reminded, since the workspace is
 * deleted or its plan includes no approvals. Undefined if the request is no longer open.
 */
export async function lockForReminder(tx: Tx, approvalId: string) {
  const [open] = await tx.run(query<{
    postId: string
    createdAt: Date
    remindedAt: Date | null
    caption: string
    forClient: boolean
    isHeld: boolean
  }>`select r.post_id, r.created_at, r.reminded_at, p.caption, r.for_client,
        w.deleted_at is not null or not ${isInPlan(sql`w.id`, 'approvals')} as is_held
      from approval_request r join workspace w on w.id = r.workspace_id
      join post p on p.workspace_id = r.workspace_id and p.id = r.post_id and p.deleted_at is null
      where r.workspace_id = ${tx.workspaceId} and r.id = ${approvalId} and r.state = 'PENDING' for update of r`)
  return open
}

/** Records a reminder of a locked request. */
export const markReminded = (tx: Tx, approvalId: string) =>
  tx.one(
    query`update approval_request set reminded_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${approvalId} and state = 'PENDING' returning id`,
    'invalid_state',
    { current: 'PENDING', allowed: [] },
  )

/**
 * Updates approval when a member schedules or publishes a post themselves. The act of a member who may decide is an
 * approval; the act of any other member withdraws an open request. Returns whether the post is now approved.
 */
export async function approveByAct(tx: Tx, role: Role | null, post: Post): Promise<boolean> {
  if (!mayApprove(role)) {
    if (post.approval?.state === 'PENDING') await withdrawApproval(tx, post)
    return post.approved
  }
  if (post.approval?.state === 'PENDING') {
    const userId = userIdOf(tx.actor)
    await tx.one(
      query`update approval_request set state = 'APPROVED', decided_by = ${userId}, decided_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${post.approval.id} and state = 'PENDING' returning id`,
      'invalid_state',
      { current: post.approval.state, allowed: [] },
    )
    await endRequest(tx, { id: post.approval.id, postId: post.id }, 'APPROVED', { id: userId, name: null })
    tx.record({ type: 'approval.approved', subject: { postId: post.id, approvalId: post.approval.id } })
  }
  return true
}

/** Whether this role's change of a scheduled post sends it back to be approved again. */
export const needsNewApproval = async (tx: Tx, role: Role | null) => changeNeedsApproval(await approvalMode(tx), role)
