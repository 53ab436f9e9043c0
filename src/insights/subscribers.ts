import type { Subscribers } from '../core/platform/scope.ts'

export const insightSubscribers: Subscribers = {
  hints: { ab_test: 'workspace', competitor: 'workspace', report: 'workspace' },
}
