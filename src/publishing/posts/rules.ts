import type { SocialAccount } from '../../channels/api.ts'
import type { Check, Publication, Status } from './api.ts'

// ---- status

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

/** Returns the status after an act, or undefined if the current one does not allow it. */
export const next = (status: Status, act: Act): Status | undefined => transitions[status][act]

/** The acts that a status allows. */
export const allowed = (status: Status): Act[] => Object.keys(transitions[status]) as Act[]

// ---- approval

export type ApprovalMode = 'none' | 'optional' | 'required' | 'required_with_client'

/** Roles that approve by acting: a post that they schedule or publish is approved. */
export const mayApprove = (role: string | null) => role === 'OWNER' || role === 'ADMIN'

/** Whether a role needs an approval before its posts go out. A role that may decide approves by acting. */
export const demandsApproval = (mode: ApprovalMode, role: string | null) =>
  role === 'EDITOR' && (mode === 'required' || mode === 'required_with_client')

/** Whether a role may publish a post now. An approval of a scheduled post is one of its time too. */
export const mayPublishNow = (
  mode: ApprovalMode,
  role: string | null,
  { status, approved }: { status: Status; approved: boolean },
) => !demandsApproval(mode, role) || (approved && status !== 'SCHEDULED')

/**
 * Whether a role's change of a scheduled post takes it off the schedule. With `required_with_client` any change does,
 * since a post goes out as the client saw it.
 */
export const changeNeedsApproval = (mode: ApprovalMode, role: string | null) =>
  demandsApproval(mode, role) || mode === 'required_with_client'

export interface Target {
  state: Publication['state']
  dropped: boolean
}

export const isOpen = (target: Target) =>
  !target.dropped && (target.state === 'PENDING' || target.state === 'PREPARING' || target.state === 'SUBMITTING')

/**
 * The status of a post without open targets: PUBLISHED if all are live, PARTIALLY_PUBLISHED if some are, FAILED if none
 * is.
 */
export function outcome(targets: readonly Target[]): 'PUBLISHED' | 'PARTIALLY_PUBLISHED' | 'FAILED' {
  const counted = targets.filter((target) => !target.dropped)
  const live = counted.filter((target) => target.state === 'PUBLISHED').length
  if (live === 0) return 'FAILED'
  return live === counted.length ? 'PUBLISHED' : 'PARTIALLY_PUBLISHED'
}

// ---- findings by code, for screens that show them without running the checks

/**
 * Errors that may resolve before the time of a post (an account is reconnected, a picture is processed, an owner's
 * limit is raised). A scheduled post shows them; publishing now refuses them. All other errors are lasting, so
 * scheduling refuses them too.
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

/** Whether a finding stops a post from being published now. */
export const stopsPublishing = (check: Check) => check.severity === 'error'

/**
 * Whether the next act on a failed target is a retry: its failure is temporary, or was fixed since. A failure of an
 * account is fixed once the account can post.
 */
export const isRetryNext = (
  { error, editedSince }: Pick<Publication, 'error' | 'editedSince'>,
  account: Pick<SocialAccount, 'status' | 'paused'> | undefined,
) =>
  error?.who === 'admin'
    ? account?.status === 'CONNECTED' && !account.paused
    : error?.retryable !== false || editedSince

/** Whether a post was approved after its scheduled time, so that nothing sends it. */
export const isTimePassed = ({ code }: Check) => code === 'time_passed'

const foreseen = new Set([
  'network_quota',
  'token_ends',
  'approval_outstanding',
  'time_passed',
  'same_text',
  'same_text_refused',
])

/** Whether a finding depends on facts that only the server knows. */
export const isForeseen = (check: Check) => foreseen.has(check.code)

/** Warnings that will most likely become failures, because the network refuses the post or the token expires. */
export const RISKS = ['same_text_refused', 'token_ends']

/** Whether a post with this finding will most likely fail. */
export const likelyFails = (check: Check) => check.severity === 'error' || RISKS.includes(check.code)
