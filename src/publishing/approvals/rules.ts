import type { Approval, Post } from '../posts/api.ts'

/** The fields of a post that a decision depends on. */
export type Decidable = Pick<Post, 'status' | 'approval'>

/**
 * Whether a post waits for a decision: it has an open request or is scheduled. A client decides only requests that were
 * made for clients. Publishing at once is up to those who answer for the workspace.
 */
export function mayDecide(post: Decidable, who: 'member' | 'client'): boolean {
  if (post.status === 'SCHEDULED') return true
  const { approval } = post
  if (post.status !== 'DRAFT' || approval?.state !== 'PENDING') return false
  return who === 'member' || (approval.asks.client && approval.asks.act !== 'publish')
}

const DAY = 86_400_000

/** When the next reminder of an open request is due: after one, two and three days, then every three. */
export function nextReminder(asked: Date, now: Date): Date {
  const days = Math.floor((now.getTime() - asked.getTime()) / DAY)
  const next = days < 3 ? days + 1 : Math.floor(days / 3) * 3 + 3
  return new Date(asked.getTime() + next * DAY)
}

export type ApprovalVerdict = { state: Extract<Approval['state'], 'APPROVED'> } | { state: 'REJECTED'; reason: string }
