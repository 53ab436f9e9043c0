import { expect, test } from 'vitest'
import { hintOf } from '../src/core/platform/record.ts'
import { subscribers } from '../src/subscribers.ts'

const hints = Object.assign({}, ...subscribers.map((area) => area.hints))

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
