import { adminSubscribers } from './admin/subscribers.ts'
import { assistantSubscribers } from './assistant/subscribers.ts'
import { channelSubscribers } from './channels/subscribers.ts'
import { conversationSubscribers } from './conversations/subscribers.ts'
import type { Subscribers } from './core/platform/scope.ts'
import { insightSubscribers } from './insights/subscribers.ts'
import { publishingSubscribers } from './publishing/subscribers.ts'
import { teamSubscribers } from './team/subscribers.ts'

/** What the areas do with recorded events, in the order of the areas. */
export const subscribers: readonly Subscribers[] = [
  teamSubscribers,
  channelSubscribers,
  publishingSubscribers,
  assistantSubscribers,
  conversationSubscribers,
  insightSubscribers,
  adminSubscribers,
]
