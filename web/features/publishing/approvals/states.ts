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
