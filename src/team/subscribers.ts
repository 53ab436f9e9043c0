import { query } from '../core/platform/db.ts'
import { on, type Subscribers } from '../core/platform/scope.ts'
import { notify } from './notifications/notifications.ts'
import type { InvitationAccepted } from './workspaces/invitations.ts'
import type { MemberLeft, RoleChanged } from './workspaces/members.ts'

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
  subscriptions: [
    on('invitation.accepted', async (tx, { subject: { userId }, data: { role }, context }: InvitationAccepted) => {
      const { workspaceName, invitedBy } = context
      if (!invitedBy) return
      const told = await tx.run(query<{ userId: string; name: string }>`
        select m.user_id, coalesce(nullif(u.name, ''), u.email, '') as name from member m, app_user u
        where m.workspace_id = ${tx.workspaceId} and m.user_id = ${invitedBy} and u.id = ${userId}`)
      for (const { userId: to, name } of told) {
        await notify(tx, { users: [to] }, 'invitation_accepted', { workspaceName, userId, name, role })
      }
    }),

    on('member.role_changed', async (tx, { subject: { userId }, data: { from, to }, context }: RoleChanged) => {
      const { workspaceName, isOwn } = context
      if (!isOwn) await notify(tx, { users: [userId] }, 'role_changed', { workspaceName, from, to })
    }),

    on('member.removed', (tx, { subject: { userId }, context: { workspaceName } }: MemberLeft) =>
      notify(tx, { users: [userId] }, 'member_removed', { workspaceName }),
    ),
  ],
}
