import type { Event } from './events.ts'
import type { Json } from './scope.ts'

/** A fact, recorded in the transaction that makes it true. */
export interface DomainEvent {
  /** What happened, as the audit history calls it: `post.scheduled`. */
  readonly type: string
  /** The ids of whom and what it concerns. */
  readonly subject: Json
  readonly data?: Json
}

/** Events that end sessions, or a way into them: the streams of that person look again at whether they may go on. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  'admin.user.disabled',
  'identity.removed',
  'logout',
  'password.changed',
  'password.reset',
  'phone.removed',
  'session.ended',
  'session.reuse',
  'sessions.ended',
  'sign_in.undone',
])

/** What the members of a workspace share beside posts, files and accounts. */
const OF_WORKSPACE: ReadonlySet<string> = new Set([
  'brand_voice',
  'hashtag_set',
  'invitation',
  'member',
  'ownership',
  'subscription',
  'template',
  'workspace',
])

/** Which screens an event concerns: the live hint that it leaves, if any. */
export function hintOf({ type, subject }: DomainEvent, workspaceId: string): Event | undefined {
  const { postId, mediaFileId, accountId, userId } = subject as Record<string, unknown>
  if (typeof postId === 'string') return { kind: 'post', id: postId }
  if (typeof mediaFileId === 'string') return { kind: 'media', id: mediaFileId }
  if (typeof accountId === 'string') return { kind: 'account', id: accountId }
  if (OF_SESSIONS.has(type)) return typeof userId === 'string' ? { kind: 'session', id: userId } : undefined
  return OF_WORKSPACE.has(type.split('.', 1)[0]!) ? { kind: 'workspace', id: workspaceId } : undefined
}
