import { expect, test } from 'vitest'
import { hintOf, type Hints } from '../src/core/platform/record.ts'
import { subscribers } from '../src/subscribers.ts'
import { recordedIn } from './recorded.ts'

const hints: Hints = Object.assign({}, ...subscribers.map((area) => area.hints))
const on = new Set(subscribers.flatMap((area) => area.subscriptions ?? []).map(({ type }) => type))

/** Events that only the history follows. Their operations tell people by hand, if at all (ADR 51). */
const HISTORY_ONLY = [
  'admin.job.retried',
  'admin.plan.changed',
  'admin.queue.retried',
  'admin.read.audit',
  'admin.read.failed',
  'admin.read.plans',
  'admin.read.queues',
  'admin.read.user',
  'admin.read.users',
  'admin.read.workspaces',
  'admin.user.enabled',
  'code.failed',
  'code.sent',
  'customer.changed',
  'customer.erased',
  'customer.erasure_requested',
  'customer.exported',
  'customer.merged',
  'customer.unmerged',
  'email.changed',
  'email.confirmed',
  'email.lost',
  'event.retried',
  'identity.joined',
  'login',
  'login.failed',
  'password.forgotten',
  'phone.changed',
  'phone.confirmed',
  'phone.lost',
]

const areas = ['team', 'channels', 'delivery', 'publishing', 'assistant', 'conversations', 'insights', 'admin']
const types = [...recordedIn(...areas)].toSorted()
const groupOf = (type: string) => type.split('.', 1)[0]!

test('every event gives a hint or has a subscriber, or is named as one that only the history follows', () => {
  expect(types.length).toBeGreaterThan(100)
  expect(types.filter((type) => !(type in hints) && !(groupOf(type) in hints) && !on.has(type))).toEqual(HISTORY_ONLY)
})

test('every hint and every subscriber belongs to an event that is recorded', () => {
  const known = new Set([...types, ...types.map(groupOf)])
  expect(Object.keys(hints).filter((key) => !known.has(key))).toEqual([])
  expect([...on].filter((type) => !known.has(type))).toEqual([])
})

test('nobody subscribes to what batches write into the history by a statement of their own', () => {
  // A batch of live posts would run no subscriber, but a target that is settled alone would.
  expect(on.has('publication.published')).toBe(false)
})

const ids = { postId: 'post', threadId: 'thread', mediaFileId: 'file', accountId: 'account', userId: 'person' }
const { postId, threadId, mediaFileId, accountId, userId } = ids

test.each([
  ['post.scheduled', { postId }, { kind: 'post', id: 'post' }],
  ['publication.stopped', { postId, publicationId: 'target' }, { kind: 'post', id: 'post' }],
  ['comment.added', { postId, commentId: 'comment' }, { kind: 'post', id: 'post' }],
  ['message.received', { threadId, messageId: 'message' }, { kind: 'conversation', id: 'thread' }],
  ['bot.paused', { threadId }, { kind: 'conversation', id: 'thread' }],
  ['bot.changed', {}, { kind: 'workspace', id: 'here' }],
  ['media.deleted', { mediaFileId }, { kind: 'media', id: 'file' }],
  ['account.reconnect_needed', { accountId }, { kind: 'account', id: 'account' }],
  ['member.removed', { userId }, { kind: 'workspace', id: 'here' }],
  ['invitation.sent', { invitationId: 'invitation' }, { kind: 'workspace', id: 'here' }],
  ['label.changed', { labelId: 'label' }, { kind: 'workspace', id: 'here' }],
  ['view.changed', { viewId: 'view' }, { kind: 'workspace', id: 'here' }],
  ['brand_voice.created', { brandVoiceId: 'voice' }, { kind: 'workspace', id: 'here' }],
  ['sessions.ended', { userId }, { kind: 'session', id: 'person' }],
  ['admin.user.disabled', { userId }, { kind: 'session', id: 'person' }],
])('%s gives a hint to the screens that show it', (type, subject, hint) => {
  expect(hintOf(hints, { type, subject }, 'here')).toEqual(hint)
})

test.each([
  ['login', { userId }],
  ['code.sent', { userId: null }],
  ['admin.user.enabled', { userId }],
  ['admin.read.users', {}],
])('%s gives no hint', (type, subject) => {
  expect(hintOf(hints, { type, subject }, 'here')).toBeUndefined()
})
