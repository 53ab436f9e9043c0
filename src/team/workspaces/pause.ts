import { notify } from '../notifications/notifications.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { Workspace, WorkspacePatch } from './api.ts'

/** What was due during a pause goes out one after the other on each account, so long apart. */
const APART = '15 seconds'
/** However many there are, each begins so long after its time at the latest: a minute more, and it is missed. */
const LATEST = '23 hours 59 minutes'
/** So many of the posts that became drafts are named. */
const NAMED = 20

type Pause = Workspace['publishing']

/** A pause keeps its reason until it is given another; resumed, nothing of it is left. */
export function pauseOf(current: Pause, change: WorkspacePatch['publishing'] = current): Pause {
  const { paused, reason = current.reason, onResume = current.onResume } = change
  return { paused, reason: paused ? reason : null, onResume: paused ? onResume : 'send', due: paused ? current.due : 0 }
}

/** One sweep of the publisher at a time over all processes; while somebody else has it nothing gets a turn. */
export const SWEEP_LOCK = 7062

/**
 * Nothing that has no intent is sent once this is committed: whatever a worker holds is taken from it by its fence, and an intent
 * that was being written comes first or not at all. No sweep that began before gives a turn behind its back.
 */
async function hold(tx: Tx): Promise<void> {
  await tx.run(query`select pg_advisory_xact_lock(${SWEEP_LOCK})`)
  await tx.run(query`update publication set fence = fence + 1, state = 'PENDING', phase = null, turn = null, lease_until = null,
      next_at = app_now(), updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and state in ('PENDING', 'PREPARING') and (turn is not null or lease_until is not null)`)
}

/** Those of the last day go out late, the oldest first, none so late that it is missed for it; what is older fails as missed. */
async function spread(tx: Tx): Promise<void> {
  await tx.run(query`update publication t set
      next_at = least(app_now() + (r.rank - 1) * ${APART}::interval, r.scheduled_at + ${LATEST}::interval), updated_at = ${tx.now}
    from (select t.id, p.scheduled_at, row_number() over (partition by t.account_id order by p.scheduled_at, p.id) as rank
        from post p join publication t on t.workspace_id = p.workspace_id and t.post_id = p.id
        where p.workspace_id = ${tx.workspaceId} and p.deleted_at is null and p.status = 'SCHEDULED'
          and p.scheduled_at <= app_now() and p.scheduled_at > app_now() - interval '24 hours'
          and t.state = 'PENDING' and t.next_at <= app_now() and t.dropped_at is null) r
    where t.workspace_id = ${tx.workspaceId} and t.id = r.id`)
}

interface Drafted {
  id: string
  scheduledAt: string
  excerpt: string
}

/**
 * What was due is a draft again: each keeps its time in its history. As when it is cancelled, what a client has to see is to be
 * approved again; who may resume may decide, so that no other mode demands it of them.
 */
async function takeOffSchedule(tx: Tx): Promise<Drafted[]> {
  const clientDecides = sql`exists (select from workspace w join subscription s on s.workspace_id = w.id
    join plan_feature f on f.plan_id = s.plan_id and f.feature_id = 'approvals'
    where w.id = ${tx.workspaceId} and w.approval_mode = 'required_with_client')`
  const drafts =
    await tx.run(query<Drafted>`update post set status = 'DRAFT', approved = approved and not ${clientDecides},
      version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and deleted_at is null and status = 'SCHEDULED' and scheduled_at <= app_now()
    returning id, iso(scheduled_at) as scheduled_at, left(caption, 80) as excerpt`)
  const ids = drafts.map(({ id }) => id)
  await tx.run(query`update publication set due_at = null, next_at = null, turn = null, lease_until = null, wait_reason = null,
      fence = fence + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and post_id = any(${ids}::uuid[]) and state in ('PENDING', 'PREPARING')`)
  const withdrawn = await tx.run(query<{ id: string; postId: string }>`update approval_request r
    set state = 'WITHDRAWN', decided_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and post_id = any(${ids}::uuid[]) and state in ('PENDING', 'APPROVED')
      and ${clientDecides} and not exists (select from approval_request l
        where l.workspace_id = r.workspace_id and l.post_id = r.post_id and l.id > r.id)
    returning id, post_id`)
  for (const { id, postId } of withdrawn) tx.audit('approval.withdrawn', { postId, approvalId: id })
  for (const { id, scheduledAt } of drafts) {
    tx.audit('post.cancelled', { postId: id }, { scheduledAt })
    tx.emit({ kind: 'post', id })
  }
  return drafts.toSorted((a, b) => (a.scheduledAt < b.scheduledAt ? -1 : 1))
}

/** What a change of the pause does to posts, and one notice to the members; called before the workspace is written. */
export async function changePause(tx: Tx, current: Pause, next: Pause, onResume: Pause['onResume']): Promise<void> {
  if (current.paused === next.paused) return
  if (next.paused) await hold(tx)
  const drafts = current.paused && onResume === 'draft' ? await takeOffSchedule(tx) : []
  if (current.paused && onResume === 'send') await spread(tx)
  const except = tx.actor.kind === 'user' ? tx.actor.userId : null
  await notify(tx, { roles: ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'], except }, 'publishing_paused', {
    paused: next.paused,
    reason: next.reason,
    count: drafts.length,
    posts: drafts.slice(0, NAMED).map(({ id, scheduledAt, excerpt }) => ({ id, scheduledAt, excerpt })),
  })
}
