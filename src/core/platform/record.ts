import type { Event } from './events.ts'
import type { Json } from './json.ts'

/** A fact, recorded in the transaction that makes it true. */
export interface DomainEvent {
  /** The name of the fact in the audit history: `post.scheduled`. */
  readonly type: string
  /** The ids of the people and things that it concerns. */
  readonly subject: Json
  readonly data?: Json
  /** The person who asked for something that Parley carried out later. The history names this person. */
  readonly by?: string | null
}

/** Events that end sessions or sign-in methods. The person's streams then check whether they may continue. */
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

/** The areas that the members of a workspace share, besides posts, files and accounts. */
const OF_WORKSPACE: ReadonlySet<string> = new Set([
  'ab_test',
  'bot',
  'brand_voice',
  'competitor',
  'escalation_rule',
  'experiment',
  'hashtag_set',
  'invitation',
  'label',
  'member',
  'memory',
  'ownership',
  'report',
  'saved_reply',
  'segment',
  'subscription',
  'template',
  'view',
  'workspace',
])

/** The live hint for an event, if the event concerns any screens. */
export function hintOf({ type, subject }: DomainEvent, workspaceId: string): Event | undefined {
  const { postId, threadId, mediaFileId, accountId, userId } = subject as Record<string, unknown>
  if (typeof postId === 'string') return { kind: 'post', id: postId }
  if (typeof threadId === 'string') return { kind: 'conversation', id: threadId }
  if (typeof mediaFileId === 'string') return { kind: 'media', id: mediaFileId }
  if (typeof accountId === 'string') return { kind: 'account', id: accountId }
  if (OF_SESSIONS.has(type)) return typeof userId === 'string' ? { kind: 'session', id: userId } : undefined
  return OF_WORKSPACE.has(type.split('.', 1)[0]!) ? { kind: 'workspace', id: workspaceId } : undefined
}
