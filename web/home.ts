import type { Profile } from '../src/team/identity/api.ts'

const KEY = 'parley.workspace'

/** The workspace that this browser showed last, else the default one. Other browsers keep their own. */
export function homeOf({ workspaces, defaultWorkspaceId }: Pick<Profile, 'workspaces' | 'defaultWorkspaceId'>) {
  const by = (id: string | null) => workspaces.find((one) => one.id === id)
  return by(last()) ?? by(defaultWorkspaceId) ?? workspaces[0]
}

function last(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null // no storage for us here: the default one decides
  }
}

export function keepHome(id: string) {
  try {
    localStorage.setItem(KEY, id)
  } catch {
    // Without storage the default one is opened next time.
  }
}

/** The first screen of a workspace: for a client the approvals, for everybody else Today. */
export function startOf({ role, features }: Profile['workspaces'][number]) {
  if (role !== 'CLIENT') return '/w/$ws/today'
  return features.includes('approvals') ? '/w/$ws/approvals' : '/w/$ws/calendar'
}
