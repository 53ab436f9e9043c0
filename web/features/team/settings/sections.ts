import type { Profile } from '../../../../src/team/identity/api.ts'
import type { Operation } from '../../../client.ts'
import { refusal } from '../../shell/workspace.tsx'

/** The sections of a workspace's settings, each with the first operation of its screen. */
const sections = [
  { group: 'workspace', to: '/w/$ws/settings', label: 'general', needs: 'updateWorkspace' },
  { group: 'workspace', to: '/w/$ws/settings/members', label: 'members', needs: 'listMembers' },
  { group: 'workspace', to: '/w/$ws/settings/labels', label: 'labels', needs: 'createLabel' },
  { group: 'publishing', to: '/w/$ws/settings/queue', label: 'writing', needs: 'setSlots' },
  // The operations of these load with their screens. They require the same role as `listSocialAccounts`.
  { group: 'publishing', to: '/w/$ws/settings/voices', label: 'voices', needs: 'listSocialAccounts' },
  { group: 'publishing', to: '/w/$ws/settings/ai', label: 'ai', needs: 'listSocialAccounts' },
  // The same holds for these.
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

/** The sections that a person's role may open. */
export const sectionsFor = (membership: Profile['workspaces'][number]) =>
  sections.filter(({ needs }) => refusal(membership, needs)?.code !== 'role_required')
