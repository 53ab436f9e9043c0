import type { Profile } from '../src/team/identity/api.ts'

const KEY = 'parley.workspace'

/** The workspace that this browser showed last, else the default one. Each browser remembers its own. */
export function homeOf({ workspaces, defaultWorkspaceId }: Pick<Profile, 'workspaces' | 'defaultWorkspaceId'>) {
  const by = (id: string | null) => workspaces.find((one) => one.id === id)
  return by(last()) ?? by(defaultWorkspaceId) ?? workspaces[0]
}

function last(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null // storage is blocked; use the default workspace
  }
}

export function keepHome(id: string) {
  try {
    localStorage.setItem(KEY, id)
  } catch {
    // Without storage, the next visit opens the default workspace.
  }
}

/** The first screen of a workspace: approvals (or the calendar) for a CLIENT, Today for everyone else. */
export function startOf({ role, features }: Profile['workspaces'][number]) {
  if (role !== 'CLIENT') return '/w/$ws/today'
  return features.includes('approvals') ? '/w/$ws/approvals' : '/w/$ws/calendar'
}
