import { type Page, page, type PageRequest } from '../core/platform/cursor.ts'
import { sql, whole } from '../core/platform/db.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { OperatorEntry } from './api.ts'

interface AuditFilter extends PageRequest {
  kind?: 'changes' | 'reads' | undefined
  actorId?: string | undefined
}

/** Lists a page of the acts and reads of operators, newest first. This read itself is recorded for the next one. */
export function listAdminAudit(scope: Scope, { kind, actorId, ...request }: AuditFilter): Promise<Page<OperatorEntry>> {
  const entries = page(sql`e.id`, request)
  const conditions = [sql`e.action like 'admin.%'`]
  if (kind) conditions.push(sql`starts_with(e.action, 'admin.read.') = ${kind === 'reads'}`)
  if (actorId) conditions.push(sql`e.user_id = ${actorId}`)
  return scope.transaction(async (tx) => {
    const rows = await tx.run(
      whole<OperatorEntry>(sql`select e.id, iso(e.at) as at, json_build_object('kind', case when u.id is null then 'system' else 'user' end,
          'id', u.id, 'name', u.name, 'email', u.email) as actor, e.action, e.object, p.name as person, null as subject, e.detail, e.ip, e.request_id
        from security_event e left join app_user u on u.id = e.user_id
          left join app_user p on p.id = (e.object ->> 'userId')::uuid
        where ${sql.join(conditions, sql` and `)} and ${entries.rows}`),
    )
    tx.record({ type: 'admin.read.audit', subject: {}, data: { kind, actorId, cursor: request.cursor } })
    return entries.of(rows)
  })
}
