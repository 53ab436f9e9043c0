import type { en } from '../../core/texts/notices/en.ts'
import type { Role } from '../../core/http/endpoint.ts'
import type { Notice, Notification } from './api.ts'

/** Notices that cannot be switched off: security, and those whose purpose is the letter. */
const ALWAYS: Partial<Record<Notice, readonly ('inApp' | 'mail')[]>> = {
  security: ['inApp', 'mail'],
  invitation_received: ['mail'],
  ownership_transferred: ['mail'],
}

export const isAlways = (kind: Notice, way: 'inApp' | 'mail'): boolean => ALWAYS[kind]?.includes(way) ?? false

/** Whether the operation that notifies also sends a letter of its own. */
export const hasOwnLetter = (kind: Notice): boolean => isAlways(kind, 'mail')

/** Kinds about workspaces to which the recipient does not belong yet, or no longer. */
export const TO_OUTSIDERS: readonly Notice[] = ['invitation_received', 'member_removed']

/**
 * Kinds that can be caused many times at once, with their list of matters. One unread notice counts the matters of the
 * same person. A notice without the list is not counted.
 */
export const COUNTED: Partial<Record<Notice, string>> = { reply_failed: 'messageIds', thread_assigned: 'threadIds' }

const MANAGERS: readonly Role[] = ['OWNER', 'ADMIN']
/** The roles of those who answer customers. */
export const ANSWERING: readonly Role[] = [...MANAGERS, 'EDITOR']
const TEAM: readonly Role[] = [...MANAGERS, 'EDITOR', 'VIEWER']

/** The roles that get notices of a kind and may see them later. For other roles these notices do not exist. */
export const TOLD: Partial<Record<Notice, readonly Role[]>> = {
  invitation_accepted: MANAGERS,
  approval_requested: [...MANAGERS, 'CLIENT'],
  approval_decided: TEAM,
  thread_mention: TEAM,
  thread_assigned: ANSWERING,
  thread_escalated: TEAM,
  thread_waiting: ANSWERING,
  reply_held: ANSWERING,
  reply_failed: ANSWERING,
  bot_no_credits: MANAGERS,
  post_at_risk: TEAM,
  post_delayed: TEAM,
  post_failed: TEAM,
  outcome_unknown: TEAM,
  account_reconnect: MANAGERS,
  publishing_paused: TEAM,
  quota_near: MANAGERS,
  quota_reached: MANAGERS,
}

type Saying = keyof typeof en.screen.says

/** The names of the people who stopped the targets that were not published; empty if there is another reason. */
export const stoppedBy = ({ stoppedBy: people }: Notification['data']): string[] =>
  Array.isArray(people) ? people.filter((name) => typeof name === 'string') : []

/** The key of a notice's text, on screens and in letters. */
export function sayingOf(kind: Exclude<Notice, 'security'>, data: Notification['data']): Saying {
  switch (kind) {
    case 'approval_requested':
      if (data['ended'] === 'APPROVED') return 'approval_approved'
      if (data['ended'] === 'REJECTED') return 'approval_changes_asked'
      if (data['ended']) return 'approval_ended'
      return typeof data['days'] === 'number' ? 'approval_waits' : kind
    case 'approval_decided':
      if (data['state'] === 'REJECTED') return 'approval_rejected'
      if (data['timePassed']) return 'approval_approved_late'
      return data['status'] === 'DRAFT' ? 'approval_approved_draft' : 'approval_approved'
    case 'thread_assigned':
      if (!data['by']) return 'thread_assigned_rule'
      return Number(data['count']) > 1 ? 'threads_assigned' : kind
    case 'thread_escalated':
      return data['by'] ? kind : 'thread_escalated_rule'
    case 'reply_failed':
      return Number(data['count']) > 1 ? 'replies_failed' : kind
    case 'post_at_risk':
      return Number(data['count']) > 1 ? 'posts_at_risk' : kind
    case 'post_failed': {
      const isPartly = data['status'] === 'PARTIALLY_PUBLISHED'
      if (stoppedBy(data).length > 0) return isPartly ? 'post_partly_stopped' : 'post_stopped'
      if (data['status'] === 'REMOVAL_FAILED') return 'post_removal'
      return isPartly ? 'post_partly' : data['status'] === 'COMMENT_FAILED' ? 'post_comment' : kind
    }
    case 'outcome_unknown':
      return data['found'] ? 'found_live' : kind
    case 'publishing_paused':
      return data['paused'] ? kind : 'publishing_resumed'
    default:
      return kind
  }
}
