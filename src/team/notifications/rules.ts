import type { Role } from '../../core/http/endpoint.ts'
import type { Notice } from './api.ts'

/** What cannot be switched off: security not at all; of the others, the letter is the matter itself. */
const ALWAYS: Partial<Record<Notice, readonly ('inApp' | 'mail')[]>> = {
  security: ['inApp', 'mail'],
  invitation_received: ['mail'],
  ownership_transferred: ['mail'],
}

export const isAlways = (kind: Notice, way: 'inApp' | 'mail'): boolean => ALWAYS[kind]?.includes(way) ?? false

/** Kinds of which whoever tells them sends the letter too. */
export const hasOwnLetter = (kind: Notice): boolean => isAlways(kind, 'mail')

/** Kinds that people are told of workspaces to which they do not belong: not yet, or no more. */
export const TO_OUTSIDERS: readonly Notice[] = ['invitation_received', 'member_removed']

const MANAGERS: readonly Role[] = ['OWNER', 'ADMIN']
const TEAM: readonly Role[] = [...MANAGERS, 'EDITOR', 'VIEWER']

/** Who may be told of what happens in a workspace, and see it later: the others' notices of this kind are as if they were not there. */
export const TOLD: Partial<Record<Notice, readonly Role[]>> = {
  invitation_accepted: MANAGERS,
  approval_requested: [...MANAGERS, 'CLIENT'],
  approval_decided: TEAM,
  post_at_risk: TEAM,
  post_delayed: TEAM,
  post_failed: TEAM,
  outcome_unknown: TEAM,
  account_reconnect: MANAGERS,
  publishing_paused: TEAM,
  quota_near: MANAGERS,
  quota_reached: MANAGERS,
}
