import { uuidv7 } from 'uuidv7'
import { query } from '../platform/db.ts'
import { type Json, NO_WORKSPACE, type Tx } from '../platform/scope.ts'
import type { Notice } from './api.ts'

/** The members with these roles in the workspace of the transaction, or people by their ids. */
type Audience = { roles: readonly string[] } | { users: readonly string[] }

/**
 * Tells people, with the transaction: each by the ways that they chose for this kind. `data` holds what the sentence needs
 * (ids, names, figures), never a secret.
 */
export async function notify(tx: Tx, audience: Audience, kind: Notice, data: Json = {}): Promise<void> {
  const users =
    'users' in audience
      ? audience.users
      : (
          await tx.run(
            query<{ userId: string }>`select user_id from member
              where workspace_id = ${tx.workspaceId} and role = any(${audience.roles}::text[])`,
          )
        ).map(({ userId }) => userId)
  if (users.length === 0) return
  const workspaceId = tx.workspaceId === NO_WORKSPACE ? null : tx.workspaceId
  const ids = users.map(() => uuidv7())
  await tx.run(query`
    insert into notification (user_id, id, workspace_id, kind, data, in_app, mail_at, created_at)
    select told.user_id, told.id, ${workspaceId}, ${kind}, ${JSON.stringify(data)}::jsonb, coalesce(wish.in_app, true),
      case when coalesce(wish.mail, true) then ${tx.now}::timestamptz end, ${tx.now}
    from unnest(${users}::uuid[], ${ids}::uuid[]) as told(user_id, id)
    left join notification_preference wish on wish.user_id = told.user_id and wish.kind = ${kind}
    where ${kind} = 'security' or coalesce(wish.in_app, true) or coalesce(wish.mail, true)`)
  for (const id of ids) tx.emit({ kind: 'notification', id })
}
