import type { Subscribers } from '../core/platform/scope.ts'

export const channelSubscribers: Subscribers = {
  hints: { account: ['account', 'accountId'] },
}
