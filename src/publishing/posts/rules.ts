import type { SocialAccount } from '../../channels/api.ts'
import type { Check, Publication, Status } from './api.ts'

// ---- the life of a post

export type Act = 'edit' | 'submit' | 'schedule' | 'cancel' | 'publish' | 'retry' | 'delete'

/** The status after each act in each status (specification section 3, contract section 4). Other acts are refused. */
const transitions: Readonly<Record<Status, Partial<Record<Act, Status>>>> = {
  DRAFT: { edit: 'DRAFT', submit: 'DRAFT', schedule: 'SCHEDULED', publish: 'PUBLISHING', delete: 'DRAFT' },
  SCHEDULED: { edit: 'SCHEDULED', schedule: 'SCHEDULED', cancel: 'DRAFT', publish: 'PUBLISHING', delete: 'DRAFT' },
  PUBLISHING: {},
  PUBLISHED: { delete: 'PUBLISHED' },
  PARTIALLY_PUBLISHED: { edit: 'PARTIALLY_PUBLISHED', retry: 'PUBLISHING', delete: 'PARTIALLY_PUBLISHED' },
  FAILED: { edit: 'DRAFT', retry: 'PUBLISHING', delete: 'FAILED' },
}

/** The status after an act, or undefined when the status does not allow it. */
export const next = (status: Status, act: Act): Status | undefined => transitions[status][act]

/** The acts that a status allows. */
export const allowed = (status: Status): Act[] => Object.keys(transitions[status]) as Act[]

// ---- approval

export type ApprovalMode = 'none' | 'optional' | 'required' | 'required_with_client'

/** The roles that approve by acting: a post that they schedule or publish is approved. */
export const mayApprove = (role: string | null) => role === 'OWNER' || role === 'ADMIN'

/** Whether somebody needs an approval before a post goes out by their hand. Who may decide has decided by acting. */
export const demandsApproval = (mode: ApprovalMode, role: string | null) =>
  role === 'EDITOR' && (mode === 'required' || mode === 'required_with_client')

/** Whether their change of a scheduled post takes it off the schedule: what a client has seen goes out as the client saw it. */
export const demandsApprovalAnew = (mode: ApprovalMode, role: string | null) =>
  demandsApproval(mode, role) || mode === 'required_with_client'

export interface Target {
  state: Publication['state']
  dropped: boolean
}

export const isOpen = (target: Target) =>
  !target.dropped && (target.state === 'PENDING' || target.state === 'PREPARING' || target.state === 'SUBMITTING')

/** The status of a post without open targets: all live PUBLISHED, some PARTIALLY_PUBLISHED, none FAILED. */
export function outcome(targets: readonly Target[]): 'PUBLISHED' | 'PARTIALLY_PUBLISHED' | 'FAILED' {
  const counted = targets.filter((target) => !target.dropped)
  const live = counted.filter((target) => target.state === 'PUBLISHED').length
  if (live === 0) return 'FAILED'
  return live === counted.length ? 'PUBLISHED' : 'PARTIALLY_PUBLISHED'
}

// ---- findings, by their codes alone: screens that only read them need no checks

/**
 * `lasting`: never right as it is, so scheduling refuses it. The other errors may resolve themselves until the time comes (an
 * account reconnected, a picture processed, an owner's limit raised): a scheduled post shows them, publishing now refuses them too.
 */
const passing = new Set([
  'no_target',
  'approval_outstanding',
  'reconnect_needed',
  'account_paused',
  'media_processing',
  'scope_missing',
  'owner_limit',
])

export const isLasting = (check: Check) => check.severity === 'error' && !passing.has(check.code)

/** The obstacles to publishing this target now: errors, without those that only make it wait. */
export const stopsPublishing = (check: Check) => check.severity === 'error'

/**
 * Whether the next act on a failed target is a retry: its failure passes by itself, or it was fixed since. An account is fixed
 * where it can post.
 */
export const isRetryNext = (
  { error, editedSince }: Pick<Publication, 'error' | 'editedSince'>,
  account: Pick<SocialAccount, 'status' | 'paused'> | undefined,
) =>
  error?.who === 'admin'
    ? account?.status === 'CONNECTED' && !account.paused
    : error?.retryable !== false || editedSince

/** Whether a post was approved after the time at which it was to go out, so that nothing sends it. */
export const isTimePassed = ({ code }: Check) => code === 'time_passed'

const foreseen = new Set([
  'network_quota',
  'token_ends',
  'approval_outstanding',
  'time_passed',
  'same_text',
  'same_text_refused',
])

/** Facts about a post that only the server knows. */
export const isForeseen = (check: Check) => foreseen.has(check.code)

/** The warnings of what a network, or the end of a token, will most likely not let through. */
export const RISKS = ['same_text_refused', 'token_ends']

/** The findings with which a post most likely fails. */
export const likelyFails = (check: Check) => check.severity === 'error' || RISKS.includes(check.code)
