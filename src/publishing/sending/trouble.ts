import type { RawBuilder } from 'kysely'
import type { Role } from '../../core/http/endpoint.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { userIdOf } from '../../core/platform/actor.ts'
import { sql, whole } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { publicationShape, removalShape, timeHasPassed } from '../posts/posts-shape.ts'
import type { Trouble } from './api.ts'

/** A target that is under way for longer needs a person. */
const STUCK = '30 minutes'

/**
 * Selects every target and post that needs a person, each id once: failed or unconfirmed, under way for too long, shown
 * twice, scheduled with a problem, approved after its time, or deleted here and perhaps still live on a network.
 * `mayTime` is the condition for posts approved after their time: only the author and people who may choose a new time
 * see them. `ofPost` is the condition on the workspaces of the posts `p`.
 */
export const troubles = (ofPost: RawBuilder<unknown>, mayTime: RawBuilder<unknown>) => sql`
  select p.workspace_id, coalesce(t.id, p.id) as id, case when t.state = 'UNCONFIRMED' then 'unconfirmed' else 'failed' end as kind,
    p.id as post_id, t.id as publication_id, coalesce(t.updated_at, p.updated_at) as since
  from post p left join publication t on t.workspace_id = p.workspace_id and t.post_id = p.id and t.dropped_at is null
  where ${ofPost} and p.deleted_at is null and p.status in ('PARTIALLY_PUBLISHED', 'FAILED')
    and coalesce(t.state, 'FAILED') in ('FAILED', 'UNCONFIRMED')
  union all
  select p.workspace_id, t.id, 'stuck', p.id, t.id, coalesce(t.due_at, p.updated_at)
  from post p join publication t on t.workspace_id = p.workspace_id and t.post_id = p.id and t.dropped_at is null
  where ${ofPost} and p.deleted_at is null and p.status = 'PUBLISHING'
    and t.state in ('PENDING', 'PREPARING', 'SUBMITTING') and t.due_at < app_now() - ${STUCK}::interval
  union all
  select p.workspace_id, p.id, 'at_risk', p.id, null, p.updated_at
  from post p where ${ofPost} and p.deleted_at is null and p.status = 'SCHEDULED'
    and p.checks @? '$[*] ? (@.severity == "error" || @.code == "token_ends" || @.code == "network_quota")'
  union all
  select p.workspace_id, p.id, 'time_passed', p.id, null, p.scheduled_at
  from post p where ${ofPost} and p.deleted_at is null and ${timeHasPassed}
    and (${mayTime})
  union all
  select p.workspace_id, t.id, 'twice', p.id, t.id, t.updated_at
  from publication t join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
  where ${ofPost} and t.error is not null and t.state = 'PUBLISHED' and p.deleted_at is null
  union all
  select p.workspace_id, r.id, 'removal_failed', p.id, r.after_id, r.updated_at
  from delivery r join post p on p.workspace_id = r.workspace_id and p.id = r.post_id
  where ${ofPost} and r.kind = 'remove' and r.state in ('FAILED', 'UNCONFIRMED')`

const troublesOf = ({ workspaceId, actor }: Scope, role: Role | null) =>
  troubles(sql`p.workspace_id = ${workspaceId}`, sql`${role !== 'VIEWER'} or p.created_by = ${userIdOf(actor)}`)

/** Returns a page of targets and posts that need a person, newest first, with the number of all. */
export async function listTrouble(
  scope: Scope,
  request: PageRequest,
  role: Role | null,
): Promise<Page<Trouble> & { count: number }> {
  const youngest = page(sql`x.id`, request)
  const [rows, [all]] = await scope.read(
    whole<{ json: Trouble }>(sql`select json_build_object('id', x.id, 'kind', x.kind, 'postId', x.post_id,
        'caption', left(p.caption, 200), 'scheduledAt', iso(p.scheduled_at), 'since', iso(x.since),
        'publication', case when t.id is not null then ${publicationShape(role)} end, 'checks', p.checks,
        'removal', case when r.id is not null then ${removalShape} end) as json
      from (select * from (${troublesOf(scope, role)}) x where ${youngest.rows}) x
      join post p on p.workspace_id = ${scope.workspaceId} and p.id = x.post_id
      left join delivery r on r.workspace_id = ${scope.workspaceId} and r.id = x.id and r.kind = 'remove'
      left join publication t on t.workspace_id = ${scope.workspaceId} and t.id = x.publication_id
      left join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
      order by x.id desc`),
    whole<{ count: number }>(sql`select count(*)::int as count from (${troublesOf(scope, role)}) x`),
  )
  return { ...youngest.of(rows.map(({ json }) => json)), count: all?.count ?? 0 }
}
