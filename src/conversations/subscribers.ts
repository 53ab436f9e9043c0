import type { Subscribers } from '../core/platform/scope.ts'

/** The screens of a conversation. */
const thread = ['conversation', 'threadId'] as const

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
}
