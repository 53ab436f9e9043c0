import type { Subscribers } from '../core/platform/scope.ts'

/** The person's streams check whether they may continue. */
const session = ['session', 'userId'] as const

export const teamSubscribers: Subscribers = {
  hints: {
    invitation: 'workspace',
    label: 'workspace',
    member: 'workspace',
    ownership: 'workspace',
    subscription: 'workspace',
    workspace: 'workspace',
    'identity.removed': session,
    logout: session,
    'password.changed': session,
    'password.reset': session,
    'phone.removed': session,
    'session.ended': session,
    'session.reuse': session,
    'sessions.ended': session,
    'sign_in.undone': session,
  },
}
