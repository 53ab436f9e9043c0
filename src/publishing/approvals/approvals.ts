import type { RawBuilder } from 'kysely'
import { AppError } from '../../core/errors.ts'
import { enqueueFlightCheck } from '../flight-check/flight-check.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { fileUrl } from '../media/media.ts'
import { actorOf } from '../../team/notifications/actor.ts'
import { notify } from '../../team/notifications/notifications.ts'
import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Approval, Post } from '../posts/api.ts'
import {
  approvalShape,
  enqueueReminder,
  excerpt,
  lockForReminder,
  markReminded,
  recordDecision,
  withdrawRequested,
} from '../posts/posts-approval.ts'
import { putOnSchedule, sendNow, takeBack, type Via } from '../posts/posts-schedule.ts'
import { lockPost, setApproved } from '../posts/posts-state.ts'
import { readPost } from '../posts/posts-read.ts'
import { visibleTo } from '../posts/posts-shape.ts'
import type { Ports } from '../../services.ts'
import type { DecidedApproval, ListedApproval } from './api.ts'
import { mayDecide, nextReminder, type ApprovalVerdict } from './rules.ts'

export type ApprovalPorts = Pick<Ports, 'networks' | 'settings'>

const approvalById = (workspaceId: string, id: string, role: Role | null) =>
  whole<{ json: Approval }>(sql`select ${approvalShape(role)} as json from approval_request r
    where r.workspace_id = ${workspaceId} and r.id = ${id}`)

/** A summary of a post `p` for lists. */
export const inBrief = (filesUrl: string) => sql`json_build_object('caption', left(p.caption, 200), 'status', p.status,
  'scheduledAt', iso(p.scheduled_at),
  'platforms', (select coalesce(json_agg(distinct a.platform), '[]') from publication t
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where t.workspace_id = p.workspace_id and t.post_id = p.id and t.dropped_at is null),
  'thumbnailUrl', (select ${fileUrl(filesUrl, sql`f.thumbnail_key`)} from post_media m
    join media_file f on f.workspace_id = m.workspace_id and f.id = m.media_file_id
    where m.workspace_id = p.workspace_id and m.post_id = p.id order by m.sort_order limit 1))`

const hasClient = sql`exists (select from member c where c.workspace_id = r.workspace_id and c.role = 'CLIENT')`

/**
 * Whether an open request `r` waits for a member `m`. A request for the client waits for an ADMIN only if the workspace
 * has no client, and never for the person who made it: they send a review link.
 */
export const waitsForMember = (
  hasClient: RawBuilder<unknown>,
) => sql`case when m.role = 'CLIENT' then r.for_client and r.act <> 'publish'
  else m.role in ('OWNER', 'ADMIN')
    and (not r.for_client or (r.requested_by is distinct from m.user_id and not ${hasClient})) end`

const isForClient = sql`(r.for_client and ${hasClient})`

/**
 * The names of those members `m` of a request's workspace who match a condition on `m` and the request `r`. Members see
 * the address of a person without a name; a CLIENT does not see the person.
 */
const namesWhere = (role: Role | null, condition: RawBuilder<unknown>) => {
  const name = role === 'CLIENT' ? sql`nullif(u.name, '')` : sql`coalesce(nullif(u.name, ''), u.email, u.phone)`
  return sql`(select coalesce(json_agg(${name} order by m.joined_at) filter (where ${name} is not null), '[]')
    from member m join app_user u on u.id = m.user_id where m.workspace_id = r.workspace_id and ${condition})`
}

/**
 * Returns a page of the requests whose posts a role may see, newest first. With `state` PENDING, requests that wait for
 * the caller come first.
 */
export async function listApprovals(
  scope: Scope,
  { settings }: Pick<Ports, 'settings'>,
  { state, ...request }: PageRequest & { state?: Approval['state'] | undefined },
  role: Role | null,
): Promise<Page<ListedApproval>> {
  const caller = userIdOf(scope.actor)
  const waitsForCaller = sql`(r.state = 'PENDING' and exists (select from member m
    where m.workspace_id = r.workspace_id and m.user_id = ${caller} and ${waitsForMember(hasClient)}))`
  const newest = [[sql`r.id`, 'uuid']] as const
  const requests =
    state === 'PENDING'
      ? pageBy<ListedApproval>([[sql`${waitsForCaller}::int`, 'bigint'], ...newest], request, (row) => [
          Number(row.waitsForCaller),
          row.id,
        ])
      : pageBy<ListedApproval>(newest, request, ({ id }) => [id])
  const conditions = [sql`r.workspace_id = ${scope.workspaceId}`, sql`p.deleted_at is null`, visibleTo(role)]
  if (state) conditions.push(sql`r.state = ${state}`)
  if (role === 'CLIENT') conditions.push(sql`r.for_client`)
  const [rows] = await scope.read(
    whole<{ json: ListedApproval }>(sql`select ${approvalShape(role)}::jsonb || jsonb_build_object(
        'post', ${inBrief(settings.filesUrl())},
        'waitsFor', ${namesWhere(
          role,
          sql`r.state = 'PENDING'
          and case when ${isForClient} then m.role = 'CLIENT' else m.role in ('OWNER', 'ADMIN') end`,
        )},
        'mayDecideToo', ${namesWhere(
          role,
          sql`${role !== 'CLIENT'} and r.state = 'PENDING' and ${isForClient}
          and m.role in ('OWNER', 'ADMIN') and m.user_id is distinct from r.requested_by`,
        )},
        'waitsForCaller', ${waitsForCaller}) as json
      from approval_request r join post p on p.workspace_id = r.workspace_id and p.id = r.post_id
      where ${sql.join(conditions, sql` and `)} and ${requests.rows}`),
  )
  return requests.of(rows.map(({ json }) => json))
}

/** The person who decides: a member with their role, or the reviewer of a link with the name of the link. */
type Decider = { role: Role | null } | { link: string }

/**
 * Decides a request. Throws `not_found`, also if the role may not see its post, and `invalid_state` if it has been
 * decided.
 */
export async function decideRequest(
  scope: Scope,
  ports: ApprovalPorts,
  id: string,
  verdict: ApprovalVerdict,
  role: Role | null,
): Promise<DecidedApproval> {
  return scope.transaction(async (tx) => {
    const { postId } = await tx.one(
      query<{ postId: string }>`select r.post_id from approval_request r
        join post p on p.workspace_id = r.workspace_id and p.id = r.post_id
        where r.workspace_id = ${tx.workspaceId} and r.id = ${id} and p.deleted_at is null and ${visibleTo(role)}`,
      'not_found',
    )
    const post = await lockPost(tx, ports, postId)
    await assertVisible(tx, postId, role)
    if (post.approval?.id !== id || post.approval.state !== 'PENDING') {
      const { json } = await tx.one(approvalById(tx.workspaceId, id, role), 'not_found')
      throw new AppError('invalid_state', 'This request has already been decided or withdrawn.', {
        current: json.state,
        allowed: [],
      })
    }
    await decide(tx, ports, post, verdict, { role })
    const { json } = await tx.one(approvalById(tx.workspaceId, id, role), 'not_found')
    return { ...json, post: await readPost(tx, ports, postId, role) }
  })
}

/**
 * Decides the open request of a post, or a scheduled post without a request. Throws what `decideRequest` throws, and
 * `stale_version`.
 */
export async function decidePost(
  scope: Scope,
  ports: ApprovalPorts,
  id: string,
  verdict: ApprovalVerdict,
  role: Role | null,
  ifMatch?: number,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    await assertVisible(tx, id, role)
    const post = await lockPost(tx, ports, id, ifMatch)
    await assertVisible(tx, id, role)
    await decide(tx, ports, post, verdict, { role })
    return readPost(tx, ports, id, role)
  })
}

/**
 * Throws `not_found` unless the role may see the post. Before the lock, this keeps an invisible post from being told of
 * by `stale_version`; after it, by `invalid_state`, since the lock may have waited for a change.
 */
async function assertVisible(tx: Tx, postId: string, role: Role | null): Promise<void> {
  await tx.one(
    query`select from post p where p.workspace_id = ${tx.workspaceId} and p.id = ${postId} and p.deleted_at is null
      and ${visibleTo(role)}`,
    'not_found',
  )
}

/**
 * Decides a locked post. Approval schedules or publishes it as the request asked, if that is still possible. Otherwise
 * the post stays an approved draft until its author fixes it or chooses a time; if its time has passed, the author and
 * the approver are notified. Rejection makes it a draft.
 */
export async function decide(
  tx: Tx,
  ports: ApprovalPorts,
  post: Post,
  verdict: ApprovalVerdict,
  decider: Decider,
): Promise<void> {
  const who = 'link' in decider || decider.role === 'CLIENT' ? 'client' : 'member'
  if (!mayDecide(post, who)) {
    throw new AppError('invalid_state', 'This post isn’t waiting for approval.', { current: post.status, allowed: [] })
  }
  const asked = post.approval?.state === 'PENDING' ? post.approval : null
  const by = 'link' in decider ? null : userIdOf(tx.actor)
  const name = 'link' in decider ? decider.link : null
  const reason = verdict.state === 'REJECTED' ? verdict.reason : null
  const last = post.approval?.decidedBy
  const isSame = last && last.id === by && (name === null || last.name === name)
  if (isSame && !asked && post.approved && post.approval?.state === verdict.state) return
  const id = await recordDecision(tx, post, asked?.id, { state: verdict.state, by, name, reason })
  const via = name === null ? {} : { link: name }
  tx.record({
    type: `approval.${verdict.state.toLowerCase()}`,
    subject: { postId: post.id, approvalId: id },
    data: via,
  })
  await (verdict.state === 'APPROVED' ? carryOut(tx, ports, post, asked, via) : turnDown(tx, post, via))
  await tellOfDecision(tx, await readPost(tx, ports, post.id), verdict)
}

async function carryOut(tx: Tx, ports: ApprovalPorts, post: Post, asked: Approval | null, via: Via): Promise<void> {
  await setApproved(tx, post, true)
  // Its stored findings may say that the approval is missing.
  if (post.status === 'SCHEDULED') enqueueFlightCheck(tx, { postId: post.id })
  const at = post.scheduledAt ? new Date(post.scheduledAt) : null
  const late = hasPassed(post.scheduledAt, tx.now)
  try {
    if (asked?.asks.act === 'publish') await sendNow(tx, ports, post, true, via)
    if (asked?.asks.act === 'schedule' && at && !late) await putOnSchedule(tx, ports, post, at, true, via)
  } catch (error) {
    // The author fixes what the checks found; that is no reason to lose the approval.
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error
  }
}

async function turnDown(tx: Tx, post: Post, via: Via): Promise<void> {
  if (post.status === 'SCHEDULED') return takeBack(tx, post, { approved: false }, via)
  await setApproved(tx, { id: post.id, status: 'DRAFT' }, false)
}

const hasPassed = (time: string | null, now: Date) => time !== null && new Date(time) <= now

async function tellOfDecision(tx: Tx, post: Post, verdict: ApprovalVerdict): Promise<void> {
  const members = [post.approval?.requestedBy?.id, post.createdBy?.id].filter((id) => typeof id === 'string')
  const decider = userIdOf(tx.actor)
  // The approver of a late post expects it to go out, so they are notified too.
  const late = verdict.state === 'APPROVED' && post.status === 'DRAFT' && hasPassed(post.scheduledAt, tx.now)
  const audience = late
    ? { roles: [], members: decider ? [...members, decider] : members }
    : { roles: [], members, except: decider }
  await notify(tx, audience, 'approval_decided', {
    postId: post.id,
    excerpt: excerpt(post),
    state: verdict.state,
    by: post.approval?.decidedBy?.name || (await actorOf(tx)).by,
    status: post.status,
    ...(late && { timePassed: true }),
    ...(verdict.state === 'REJECTED' && { reason: verdict.reason }),
  })
}

/**
 * Withdraws an open request, for the member who made it or a member who may decide. Throws `not_found`,
 * `role_required`, `invalid_state`.
 */
export async function withdrawRequest(
  scope: Scope,
  ports: Pick<Ports, 'settings'>,
  id: string,
  role: Role | null,
): Promise<Approval> {
  return scope.transaction(async (tx) => {
    const { json: request } = await tx.one(approvalById(tx.workspaceId, id, role), 'not_found')
    const mine = tx.actor.kind === 'user' && request.requestedBy?.id === tx.actor.userId
    if (!mine && role === 'EDITOR') throw new AppError('role_required', undefined, { required: 'ADMIN', actual: role })
    // Like every act on a request, so that a concurrent edit sees either an open request or a withdrawn one.
    const { approval } = await lockPost(tx, ports, request.postId)
    await withdrawRequested(tx, id, approval?.id === id ? approval.state : request.state)
    tx.record({ type: 'approval.withdrawn', subject: { postId: request.postId, approvalId: id } })
    const { json } = await tx.one(approvalById(tx.workspaceId, id, role), 'not_found')
    return json
  })
}

/**
 * Reminds the people that an open request waits for, and schedules the next reminder. A job that runs again after its
 * reminder was sent notifies nobody.
 */
export async function remind(scope: Scope, approvalId: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const open = await lockForReminder(tx, approvalId)
    if (!open) return
    const isDue = nextReminder(open.createdAt, open.remindedAt ?? open.createdAt) <= tx.now
    if (isDue && !open.isHeld) {
      await markReminded(tx, approvalId)
      const days = Math.max(1, Math.floor((tx.now.getTime() - open.createdAt.getTime()) / 86_400_000))
      const roles = open.forClient ? ['OWNER', 'ADMIN', 'CLIENT'] : ['OWNER', 'ADMIN']
      await notify(tx, { roles }, 'approval_requested', { postId: open.postId, excerpt: excerpt(open), days })
    }
    enqueueReminder(tx, approvalId, nextReminder(open.createdAt, tx.now))
  })
}
