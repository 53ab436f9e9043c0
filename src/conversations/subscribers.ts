import { on, type Subscribers, type Tx } from '../core/platform/scope.ts'
import type { ReplyHeld } from './bot/outcomes.ts'
import type { ThreadAssigned } from './threads/assignment.ts'
import type { NoteWritten } from './threads/notes.ts'
import { tellAssigned, tellEscalated, tellHeld, tellMentioned } from './threads/notices.ts'
import type { ThreadEscalated } from './threads/threads.ts'

/** The screens of a conversation. */
const thread = ['conversation', 'threadId'] as const

const tellOfNote = (tx: Tx, { subject: { threadId }, data: { mentions } }: NoteWritten) =>
  tellMentioned(tx, threadId, mentions)

export const conversationSubscribers: Subscribers = {
  hints: {
    'bot.changed': 'workspace',
    'bot.paused': thread,
    'bot.resumed': thread,
    escalation_rule: 'workspace',
    experiment: 'workspace',
    memory: 'workspace',
    message: thread,
    note: thread,
    reply: thread,
    saved_reply: 'workspace',
    segment: 'workspace',
    thread,
  },
  subscriptions: [
    on('note.changed', tellOfNote),
    on('note.created', tellOfNote),

    on('reply.held', async (tx, { subject: { threadId }, data: { why }, context: { concerned } }: ReplyHeld) => {
      if (why !== 'suggested') await tellHeld(tx, threadId, concerned)
    }),

    on('thread.assigned', async (tx, { subject: { threadId }, data: { assignee }, context }: ThreadAssigned) => {
      if (assignee !== null) await tellAssigned(tx, assignee, threadId, context)
    }),

    on('thread.escalated', (tx, { subject: { threadId }, context }: ThreadEscalated) =>
      tellEscalated(tx, threadId, context),
    ),
  ],
}
