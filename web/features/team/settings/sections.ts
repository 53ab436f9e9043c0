import type { Profile } from '../../../../src/team/identity/api.ts'
import type { Operation } from '../../../client.ts'
import { refusal } from '../../shell/workspace.tsx'

/** The parts of a workspace's settings, each with the operation that its screen begins with. */
const sections = [
  { group: 'workspace', to: '/w/$ws/settings', label: 'general', needs: 'updateWorkspace' },
  { group: 'workspace', to: '/w/$ws/settings/members', label: 'members', needs: 'listMembers' },
  { group: 'workspace', to: '/w/$ws/settings/labels', label: 'labels', needs: 'createLabel' },
  { group: 'publishing', to: '/w/$ws/settings/queue', label: 'writing', needs: 'setSlots' },
  // Templates and hashtags come with them. A person who sees the accounts sees them too.
  { group: 'publishing', to: '/w/$ws/settings/voices', label: 'voices', needs: 'listSocialAccounts' },
  { group: 'publishing', to: '/w/$ws/settings/ai', label: 'ai', needs: 'listSocialAccounts' },
  // The operations of these come with their screens.
  { group: 'inbox', to: '/w/$ws/settings/bot', label: 'bot', needs: 'listSocialAccounts' },
  { group: 'inbox', to: '/w/$ws/settings/experiments', label: 'experiments', needs: 'listSocialAccounts' },
  { group: 'inbox', to: '/w/$ws/settings/replies', label: 'replies', needs: 'listSocialAccounts' },
  { group: 'inbox', to: '/w/$ws/settings/rules', label: 'rules', needs: 'listSocialAccounts' },
  { group: 'plan', to: '/w/$ws/settings/plan', label: 'plan', needs: 'listUsage' },
  { group: 'plan', to: '/w/$ws/settings/audit', label: 'audit', needs: 'listAudit' },
] as const satisfies readonly {
  group: string
  to: string
  label: string
  needs: Operation
}[]

/** Those that somebody's role opens. */
export const sectionsFor = (membership: Profile['workspaces'][number]) =>
  sections.filter(({ needs }) => refusal(membership, needs)?.code !== 'role_required')
