import type { Subscribers } from '../core/platform/scope.ts'

export const adminSubscribers: Subscribers = {
  // The person's streams end.
  hints: { 'admin.user.disabled': ['session', 'userId'] },
}
