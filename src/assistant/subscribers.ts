import type { Subscribers } from '../core/platform/scope.ts'

export const assistantSubscribers: Subscribers = {
  hints: { brand_voice: 'workspace' },
}
