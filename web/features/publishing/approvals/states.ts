import type { Approval, Post } from '../../../../src/publishing/posts/api.ts'

export type State = Approval['state']

/** The filters of the list of requests, waiting ones first. */
export const STATES = ['PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN'] as const satisfies readonly State[]

export const isState = (value: unknown): value is State => STATES.some((one) => one === value)

/** Whether a change by anybody would end what was asked or given: it is then saved on purpose, not by typing. */
export const isSettled = ({ status, approval, approved }: Post) =>
  status === 'DRAFT' && (approval?.state === 'PENDING' || approved)
