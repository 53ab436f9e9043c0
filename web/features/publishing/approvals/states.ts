import type { Approval, Post } from '../../../../src/publishing/posts/api.ts'

export type ApprovalState = Approval['state']

/** The filters of the request list, pending first. */
export const STATES = ['PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN'] as const satisfies readonly ApprovalState[]

export const isState = (value: unknown): value is ApprovalState => STATES.some((one) => one === value)

/**
 * Whether any change to the post would end its request or its approval. Such changes are saved explicitly, not by
 * autosave.
 */
export const changeEndsApproval = ({ status, approval, approved }: Post) =>
  status === 'DRAFT' && (approval?.state === 'PENDING' || approved)

/** What a post loses with a new time: its open request, or its approval and with it its place on the schedule. */
export type Loss = 'request' | 'approval'

type Decided = Pick<Post, 'status' | 'approved'> & { approval: Pick<Approval, 'state'> | null }

/** What a new time will take from a post. `demands`: this person's changes of scheduled posts need an approval. */
export function lossOf({ status, approval, approved }: Decided, demands: boolean): Loss | null {
  if (status === 'DRAFT' && approval?.state === 'PENDING') return 'request'
  return (status === 'DRAFT' && approved) || (status === 'SCHEDULED' && demands) ? 'approval' : null
}

/** The text of `approvals` that says how an act has ended the open request of a post: withdrawn, or approved by it. */
export function endOfRequest(before: Decided, after: Decided): 'requestEnded' | 'requestApproved' | null {
  if (before.approval?.state !== 'PENDING') return null
  if (after.approval?.state === 'WITHDRAWN') return 'requestEnded'
  return after.approval?.state === 'APPROVED' ? 'requestApproved' : null
}

/** What a post has lost between two states of it. */
export function lostBy(before: Decided, after: Decided): Loss | null {
  if (endOfRequest(before, after) === 'requestEnded') return 'request'
  const left = before.status === 'SCHEDULED' && after.status === 'DRAFT'
  return left || (before.approved && !after.approved) ? 'approval' : null
}
