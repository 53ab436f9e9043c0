import { decodeCursor } from '../core/platform/cursor.ts'
import { sql, whole } from '../core/platform/db.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { OperatorEntry } from './api.ts'
import { pageOf } from './users.ts'

interface AuditFilter {
  limit: number
  cursor?: string | undefined
  kind?: 'changes' | 'reads' | undefined
  actorId?: string | undefined
}

/** A page of what operators did and looked at, newest first, with this look among the next. */
export function listAdminAudit(
  scope: Scope,
  { limit, cursor, kind, actorId }: AuditFilter,
): Promise<{ data: OperatorEntry[]; nextCursor: string | null }> {
  const conditions = [cursor === undefined ? sql`true` : sql`e.id < ${decodeCursor(cursor)}`]
  if (kind) conditions.push(sql`starts_with(e.action, 'admin.read.') = ${kind === 'reads'}`)
  if (actorId) conditions.push(sql`e.user_id = ${actorId}`)
  return scope.transaction(async (tx) => {
    const rows = await tx.run(
      whole<OperatorEntry>(sql`select e.id, iso(e.at) as at, json_build_object('kind', case when u.id is null then 'system' else 'user' end,
          'id', u.id, 'name', u.name, 'email', u.email) as actor, e.action, e.object, p.name as person, null as subject, e.detail, e.ip, e.request_id
        from security_event e left join app_user u on u.id = e.user_id
          left join app_user p on p.id::text = e.object ->> 'userId'
        where e.action like 'admin.%' and ${sql.join(conditions, sql` and `)} order by e.id desc limit ${limit}`),
    )
    tx.audit('admin.read.audit', {}, { kind, actorId, cursor })
    return pageOf(rows, limit)
  })
}
