import type { Feature, Gate, Quota, Role } from './endpoint.ts'

/** Facts about a caller. `role` is null for a person who is not a member of the workspace. */
export interface GateFacts {
  role: Role | null
  plan: string | null
  features: readonly string[]
  quotas?: readonly { quota: Quota; limit: number | null; used: number; resetsAt: string | null }[]
}

export type Refusal =
  | { code: 'not_found' }
  | { code: 'role_required'; required: Role; actual: Role }
  | { code: 'feature_not_in_plan'; feature: Feature }
  | { code: 'quota_exceeded'; quota: Quota; limit: number; used: number; resetsAt: string | null }

const order: readonly Role[] = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER']

/** Whether a role is at least the required one. CLIENT is outside the order. */
export const atLeast = (role: Role, required: Role) =>
  order.includes(role) && order.indexOf(role) <= order.indexOf(required)

/** The roles that pass a gate. */
export const passing = (gate: Exclude<Gate, string>): readonly Role[] => [
  ...order.filter((role) => atLeast(role, gate.role)),
  ...(gate.client ? (['CLIENT'] as const) : []),
]

/**
 * The first refusal in the order role, feature, quotas; null admits. `own`: the request concerns the caller alone. The
 * web app hides or explains by the same rule.
 */
export function admit(gate: Exclude<Gate, string>, facts: GateFacts, own = false): Refusal | null {
  if (!facts.role) return { code: 'not_found' }
  if (!own && !passing(gate).includes(facts.role)) {
    return { code: 'role_required', required: gate.role, actual: facts.role }
  }
  const missing = [gate.feature ?? []].flat().find((feature) => !facts.features.includes(feature))
  if (missing) return { code: 'feature_not_in_plan', feature: missing }
  for (const quota of [gate.quota ?? []].flat()) {
    const room = facts.quotas?.find((each) => each.quota === quota)
    if (room && room.limit !== null && room.used >= room.limit) {
      return { code: 'quota_exceeded', quota, limit: room.limit, used: room.used, resetsAt: room.resetsAt }
    }
  }
  return null
}
