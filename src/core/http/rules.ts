import type { Feature, Gate, Quota, Role } from './endpoint.ts'

/** Facts about a caller. `role` is null for a person who is not a member of the workspace. */
export interface GateFacts {
  role: Role | null
  plan: string | null
  features: readonly string[]
  quota?: { limit: number | null; used: number; resetsAt: string | null } | null
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
 * The first refusal in the order role, feature, quota; null admits. `own`: the request concerns the caller alone. The
 * web app hides or explains by the same rule.
 */
export function admit(gate: Exclude<Gate, string>, facts: GateFacts, own = false): Refusal | null {
  if (!facts.role) return { code: 'not_found' }
  if (!own && !passing(gate).includes(facts.role)) {
    return { code: 'role_required', required: gate.role, actual: facts.role }
  }
  const missing = [gate.feature ?? []].flat().find((feature) => !facts.features.includes(feature))
  if (missing) return { code: 'feature_not_in_plan', feature: missing }
  const { quota } = facts
  if (gate.quota && quota && quota.limit !== null && quota.used >= quota.limit) {
    return { code: 'quota_exceeded', quota: gate.quota, limit: quota.limit, used: quota.used, resetsAt: quota.resetsAt }
  }
  return null
}
