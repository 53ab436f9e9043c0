import type { Notice, Notification } from '../../../../src/team/notifications/api.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')

const isEnd = (state: unknown): state is 'APPROVED' | 'REJECTED' | 'WITHDRAWN' =>
  state === 'APPROVED' || state === 'REJECTED' || state === 'WITHDRAWN'

/** The screen that a notification leads to; null if there is nothing to do. */
export function placeOf({ kind, workspaceId: ws, data }: Notification) {
  if (kind === 'security') return { to: '/me' } as const
  if (ws === null) return null
  switch (kind as Notice) {
    case 'post_at_risk':
      if (typeof data['postId'] !== 'string') return { to: '/w/$ws/posts', params: { ws } } as const
      return { to: '/w/$ws/posts/$id', params: { ws, id: data['postId'] } } as const
    case 'approval_requested':
      return {
        to: '/w/$ws/approvals',
        params: { ws },
        search: { id: text(data['postId']), ...(isEnd(data['ended']) && { state: data['ended'] }) },
      } as const
    case 'post_delayed':
    case 'post_failed':
    case 'outcome_unknown':
    case 'approval_decided':
    case 'comment_mention':
    case 'comment_added':
      return { to: '/w/$ws/posts/$id', params: { ws, id: text(data['postId']) } } as const
    case 'thread_mention':
    case 'thread_assigned':
    case 'thread_escalated':
      return {
        to: '/w/$ws/inbox',
        params: { ws },
        search: typeof data['threadId'] === 'string' ? { filter: 'all', id: data['threadId'] } : { filter: 'mine' },
      } as const
    case 'reply_failed':
      return {
        to: '/w/$ws/inbox',
        params: { ws },
        search:
          typeof data['threadId'] === 'string' ? { filter: 'all', id: data['threadId'] } : { filter: 'unanswered' },
      } as const
    case 'reply_held':
      return { to: '/w/$ws/inbox', params: { ws }, search: { filter: 'review' } } as const
    case 'thread_waiting':
      return { to: '/w/$ws/inbox', params: { ws } } as const
    case 'account_reconnect':
      return { to: '/w/$ws/accounts', params: { ws } } as const
    case 'publishing_paused':
      return { to: '/w/$ws/posts', params: { ws } } as const
    case 'quota_near':
    case 'quota_reached':
    case 'bot_no_credits':
      return { to: '/w/$ws/settings/plan', params: { ws } } as const
    case 'invitation_accepted':
    case 'ownership_transferred':
    case 'role_changed':
      return { to: '/w/$ws/settings/members', params: { ws } } as const
    default:
      return { to: '/w/$ws/calendar', params: { ws } } as const
  }
}
