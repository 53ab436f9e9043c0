import type { Scope } from '../core/platform/scope.ts'
import type { Plan } from '../team/plans/api.ts'
import { changePlan as change, readFeatures, readPlans } from '../team/plans/subscription.ts'
import type { PlanChange } from './api.ts'

/** Lists all plans, smallest first, with all features that a plan may have. */
export function listAllPlans(scope: Scope): Promise<{ data: Plan[]; nextCursor: null; features: string[] }> {
  return scope.transaction(async (tx) => {
    const [data, features] = await Promise.all([readPlans(tx), readFeatures(tx)])
    tx.record({ type: 'admin.read.plans', subject: {} })
    return { data, nextCursor: null, features }
  })
}

/** Changes what a plan includes, for all its workspaces from the next request on. Throws `not_found`, `validation_failed`. */
export function changePlan(scope: Scope, plan: string, wanted: PlanChange): Promise<Plan> {
  return scope.transaction(async (tx) => {
    const { before, after } = await change(tx, plan, wanted)
    if (JSON.stringify(before) !== JSON.stringify(after))
      tx.record({ type: 'admin.plan.changed', subject: { plan }, data: { before, after } })
    return after
  })
}
