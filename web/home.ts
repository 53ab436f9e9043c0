import type { Profile } from '../src/team/identity/api.ts'
import { readStored, writeStored } from './storage.ts'

const KEY = 'parley.workspace'

/** The workspace that this browser showed last, else the default one. Each browser remembers its own. */
export function homeOf({ workspaces, defaultWorkspaceId }: Pick<Profile, 'workspaces' | 'defaultWorkspaceId'>) {
  const by = (id: string | null | undefined) => workspaces.find((one) => one.id === id)
  return by(readStored(KEY)) ?? by(defaultWorkspaceId) ?? workspaces[0]
}

export const keepHome = (id: string) => writeStored(KEY, id)

/** The first screen of a workspace: approvals (or the calendar) for a CLIENT, Today for everyone else. */
export function startOf({ role, features }: Profile['workspaces'][number]) {
  if (role !== 'CLIENT') return '/w/$ws/today'
  return features.includes('approvals') ? '/w/$ws/approvals' : '/w/$ws/calendar'
}
