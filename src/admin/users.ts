import { AppError } from '../core/errors.ts'
import { type Page, page, type PageRequest } from '../core/platform/cursor.ts'
import { query, sql, whole } from '../core/platform/db.ts'
import type { Scope, Tx } from '../core/platform/scope.ts'
import { disablePerson, enablePerson } from '../team/identity/person.ts'
import { liveSession } from '../team/identity/sessions.ts'
import type { AdminUser, AdminUserDetails } from './api.ts'

const userShape = sql`'id', u.id, 'email', u.email, 'phone', u.phone, 'name', u.name, 'createdAt', iso(u.created_at),
  'lastUsedAt', iso((select max(s.last_used_at) from session s where s.user_id = u.id)), 'disabledAt', iso(u.disabled_at),
  'isSuperAdmin', u.is_super_admin`

interface UserFilter extends PageRequest {
  text?: string | undefined
  disabled?: 'true' | 'false' | undefined
}

/** Lists a page of all users, newest first. */
export async function listUsers(scope: Scope, { text, disabled, ...request }: UserFilter): Promise<Page<AdminUser>> {
  const users = page(sql`u.id`, request)
  const conditions = [sql`true`]
  if (text) {
    conditions.push(sql`strpos(lower(concat_ws(chr(10), u.name, u.email, u.phone)), lower(${text}::text)) > 0`)
  }
  if (disabled) conditions.push(sql`(u.disabled_at is not null) = ${disabled === 'true'}`)
  return scope.transaction(async (tx) => {
    const rows = await tx.run(
      whole<{ json: AdminUser }>(sql`
        select json_build_object(${userShape}, 'workspaces', (select count(*) from member m where m.user_id = u.id)) as json
        from app_user u where ${sql.join(conditions, sql` and `)} and ${users.rows}`),
    )
    tx.record({ type: 'admin.read.users', subject: {}, data: { text, disabled, cursor: request.cursor } })
    return users.of(rows.map(({ json }) => json))
  })
}

/** Returns a user with their workspaces, including deleted ones. Throws `not_found`. */
export function getUser(scope: Scope, id: string): Promise<AdminUserDetails> {
  return scope.transaction(async (tx) => {
    const user = await readUser(tx, id)
    tx.record({ type: 'admin.read.user', subject: { userId: id } })
    return user
  })
}

const readUser = async (tx: Tx, id: string): Promise<AdminUserDetails> =>
  (
    await tx.one(
      whole<{ json: AdminUserDetails }>(sql`
        select json_build_object(${userShape},
          'sessions', (select count(*) from session s where s.user_id = u.id and ${liveSession(sql`s`, tx.now)}),
          'workspaces', coalesce((
            select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role, 'plan', p.plan_id,
              'deletedAt', iso(w.deleted_at)) order by w.id)
            from member m join workspace w on w.id = m.workspace_id join subscription p on p.workspace_id = w.id
            where m.user_id = u.id), '[]')) as json
        from app_user u where u.id = ${id}`),
      'not_found',
    )
  ).json

/**
 * Locks a user out: every session ends at once, and none can begin. Throws `invalid_state` for the caller, so that an
 * operator who can undo it remains, and for a user who is disabled already.
 */
export function disableUser(scope: Scope, callerId: string, id: string): Promise<AdminUserDetails> {
  return scope.transaction(
    async (tx) => {
      // If two operators disable each other at once, the second one is no longer an operator here.
      const admins = await tx.run(
        query<{
          id: string
        }>`select id from app_user where is_super_admin and disabled_at is null order by id for update`,
      )
      if (!admins.some((admin) => admin.id === callerId)) throw new AppError('super_admin_required')
      if (id === callerId) {
        throw new AppError('invalid_state', 'You can’t disable your own account.', { current: 'active', allowed: [] })
      }
      await readUser(tx, id)
      const sessions = await disablePerson(tx, id)
      tx.record({ type: 'admin.user.disabled', subject: { userId: id }, data: { sessions } })
      return readUser(tx, id)
    },
    { alone: 'everybody' },
  )
}

/** Lets a user sign in again. Ended sessions stay ended. Throws `invalid_state` for a user who is not disabled. */
export function enableUser(scope: Scope, id: string): Promise<AdminUserDetails> {
  return scope.transaction(async (tx) => {
    await readUser(tx, id)
    await enablePerson(tx, id)
    tx.record({ type: 'admin.user.enabled', subject: { userId: id } })
    return readUser(tx, id)
  })
}
