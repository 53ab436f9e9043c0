import { notify } from '../../team/notifications/notifications.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { sql } from '../../core/platform/db.ts'
import { excerpt, withdrawApprovals } from '../posts/posts-approval.ts'
import { draftOverdue, type Drafted } from '../posts/posts-state.ts'
import type { Tx } from '../../core/platform/scope.ts'
import type { ChangePause } from '../../team/workspaces/workspaces.ts'
import { dequeueTargets } from '../../delivery/deliveries.ts'
import { holdWorkspace, spreadOverdue } from '../../delivery/waits.ts'

/** The time between two posts of one account that fell due during a pause. */
const APART = '15 seconds'
/** The latest start of each post after its time, however many there are. A minute later it would be missed. */
const LATEST = '23 hours 59 minutes'
/** The maximum number of drafts that the notice names. */
const NAMED = 20

/**
 * Turns posts that fell due back into drafts; each keeps its time in its history. As after a cancel, a post that a
 * client must see needs a new approval. No other mode needs one, since a person who may resume may also approve.
 */
async function takeOffSchedule(tx: Tx): Promise<Drafted[]> {
  const clientDecides = sql`exists (select from workspace w join subscription s on s.workspace_id = w.id
    join plan_feature f on f.plan_id = s.plan_id and f.feature_id = 'approvals'
    where w.id = ${tx.workspaceId} and w.approval_mode = 'required_with_client')`
  const drafts = await draftOverdue(tx, clientDecides)
  const ids = drafts.map(({ id }) => id)
  await dequeueTargets(tx, ids)
  await withdrawApprovals(tx, ids, clientDecides)
  for (const { id, scheduledAt } of drafts) {
    tx.record({ type: 'post.cancelled', subject: { postId: id }, data: { scheduledAt } })
  }
  return drafts.toSorted((a, b) => (a.scheduledAt < b.scheduledAt ? -1 : 1))
}

/** Applies the start or end of a publishing pause to the posts, and sends one notice to the members. */
export const changePause: ChangePause = async (tx, { paused, reason, onResume }) => {
  if (paused) await holdWorkspace(tx)
  const drafts = !paused && onResume === 'draft' ? await takeOffSchedule(tx) : []
  if (!paused && onResume === 'send') await spreadOverdue(tx, APART, LATEST)
  const except = userIdOf(tx.actor)
  await notify(tx, { roles: ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'], except }, 'publishing_paused', {
    paused,
    reason,
    count: drafts.length,
    posts: drafts
      .slice(0, NAMED)
      .map((post) => ({ id: post.id, scheduledAt: post.scheduledAt, excerpt: excerpt(post) })),
  })
}
