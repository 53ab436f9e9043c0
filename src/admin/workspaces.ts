import { type Page, page, type PageRequest } from '../core/platform/cursor.ts'
import { sql, whole } from '../core/platform/db.ts'
import type { Scopes, Scope } from '../core/platform/scope.ts'
import { securityEvent } from '../core/platform/security-events.ts'
import type { Subscription } from '../team/plans/api.ts'
import { giveSubscription as give } from '../team/plans/subscription.ts'
import type { AdminWorkspace } from './api.ts'

interface WorkspaceFilter extends PageRequest {
  text?: string | undefined
  plan?: string | undefined
}

/** Lists a page of all workspaces, newest first, including deleted ones. */
export async function listAllWorkspaces(
  scope: Scope,
  { text, plan, ...request }: WorkspaceFilter,
): Promise<Page<AdminWorkspace>> {
  const workspaces = page(sql`w.id`, request)
  const conditions = [sql`true`]
  if (text) conditions.push(sql`strpos(lower(w.name), lower(${text}::text)) > 0`)
  if (plan) conditions.push(sql`p.plan_id = ${plan}`)
  return scope.transaction(async (tx) => {
    const rows = await tx.run(
      whole<{ json: AdminWorkspace }>(sql`
        select json_build_object('id', w.id, 'name', w.name, 'plan', p.plan_id,
          'members', (select count(*) from member m where m.workspace_id = w.id),
          'postsThisMonth', coalesce((select u.used from workspace_usage u where u.workspace_id = w.id and u.quota_id = 'posts'
            and u.period = usage_period(w.id, 'monthly', w.timezone)), 0),
          'createdAt', iso(w.created_at), 'deletedAt', iso(w.deleted_at)) as json
        from workspace w join subscription p on p.workspace_id = w.id
        where ${sql.join(conditions, sql` and `)} and ${workspaces.rows}`),
    )
    tx.record({ type: 'admin.read.workspaces', subject: {}, data: { text, plan, cursor: request.cursor } })
    return workspaces.of(rows.map(({ json }) => json))
  })
}

/**
 * Gives a workspace a plan, in its own scope. Its members see the change in their audit; operators see in theirs who
 * made it. Throws `not_found` for an unknown or deleted workspace, and `validation_failed` for an unknown plan.
 */
export function giveSubscription(
  scopes: Pick<Scopes, 'scope'>,
  { actor }: Scope,
  workspaceId: string,
  plan: string,
): Promise<Subscription> {
  if (actor.kind !== 'user') throw new Error('Only an operator gives plans')
  const { userId, sessionId, ip, requestId, once } = actor
  const product = { kind: 'system', name: 'Parley', operator: { userId, sessionId }, once } as const
  return give(scopes.scope(workspaceId, product), plan, async (tx) => {
    const action = 'admin.subscription.changed'
    await tx.run(securityEvent({ action, userId, object: { workspaceId }, detail: { plan }, ip, requestId }))
  })
}
