import type { Approval, Post } from '../posts/api.ts'

/** A post, as a decision needs it. */
export type Decidable = Pick<Post, 'status' | 'approval'>

/**
 * What waits for a decision: an open request, else what is on the schedule. A client decides what has a time and asks for them:
 * to publish at once is for those who answer for the workspace.
 */
export function mayDecide(post: Decidable, who: 'member' | 'client'): boolean {
  if (post.status === 'SCHEDULED') return true
  const { approval } = post
  if (post.status !== 'DRAFT' || approval?.state !== 'PENDING') return false
  return who === 'member' || (approval.asks.client && approval.asks.act === 'schedule')
}

const DAY = 86_400_000

/** When an open request is brought to mind again: after one, two and three days, then every three. */
export function nextReminder(asked: Date, now: Date): Date {
  const days = Math.floor((now.getTime() - asked.getTime()) / DAY)
  const next = days < 3 ? days + 1 : Math.floor(days / 3) * 3 + 3
  return new Date(asked.getTime() + next * DAY)
}

/** The decision. */
export type ApprovalVerdict = { state: Extract<Approval['state'], 'APPROVED'> } | { state: 'REJECTED'; reason: string }
