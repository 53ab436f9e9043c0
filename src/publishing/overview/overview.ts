import { query, sql } from '../../core/platform/db.ts'
import type { Scopes } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { waitsForMember } from '../approvals/approvals.ts'
import { fileUrl } from '../media/media.ts'
import { troubles } from '../sending/trouble.ts'
import type { WorkspaceOverview } from './api.ts'

const isAdmin = sql`m.role in ('OWNER', 'ADMIN')`

const hasFeature = (id: string) => sql`exists (select from subscription s
  join plan_feature f on f.plan_id = s.plan_id and f.feature_id = ${id} where s.workspace_id = m.workspace_id)`

/** Counts the open requests that wait for a member `m`. */
const approvals = sql`
  select m.workspace_id, count(*)::int as count
  from mine m join approval_request r on r.workspace_id = m.workspace_id and r.state = 'PENDING'
  join post p on p.workspace_id = r.workspace_id and p.id = r.post_id and p.deleted_at is null and p.status = 'DRAFT'
  where ${hasFeature('approvals')} and ${waitsForMember(sql`m.has_client`)}
  group by 1`

/** Counts the conversations of the inbox views `unanswered` and `escalated`. */
const inbox = sql`
  select m.workspace_id, count(*) filter (where t.unanswered_at is not null)::int as unanswered,
    count(*) filter (where t.status = 'ESCALATED')::int as escalated
  from mine m join thread t on t.workspace_id = m.workspace_id and t.status in ('OPEN', 'ESCALATED')
  where m.role in ('OWNER', 'ADMIN', 'EDITOR') and ${hasFeature('auto_reply')} group by 1`

const accounts = sql`
  select m.workspace_id, count(*)::int as count,
    json_agg(json_build_object('id', a.id, 'platform', a.platform, 'name', a.name) order by lower(a.name), a.id) as items
  from mine m join social_account a on a.workspace_id = m.workspace_id and a.status = 'RECONNECT_NEEDED'
  where ${isAdmin} group by 1`

const ofMine = sql`p.workspace_id in (select workspace_id from mine where role <> 'CLIENT')`
const mayTime = sql`exists (select from mine where workspace_id = p.workspace_id
  and (role <> 'VIEWER' or user_id = p.created_by))`

const KINDS = {
  failed: 'failed',
  unconfirmed: 'unconfirmed',
  stuck: 'stuck',
  atRisk: 'at_risk',
  twice: 'twice',
  timePassed: 'time_passed',
  removalFailed: 'removal_failed',
} as const satisfies Record<keyof WorkspaceOverview['troubles'], string>

const countOf = ([name, kind]: [string, string]) =>
  sql`${sql.lit(name)}, count(*) filter (where x.kind = ${sql.lit(kind)})`

const trouble = sql`
  select x.workspace_id, count(*)::int as count,
    json_build_object(${sql.join(Object.entries(KINDS).map(countOf))}) as kinds
  from (${troubles(ofMine, mayTime)}) x group by 1`

const NO_TROUBLE = JSON.stringify(Object.fromEntries(Object.keys(KINDS).map((name) => [name, 0])))

/** Selects the next post of a workspace `m`. Every role may see scheduled posts. */
const next = (filesUrl: string) => sql`
  select json_build_object('postId', p.id, 'caption', left(p.caption, 200), 'scheduledAt', iso(p.scheduled_at),
    'platforms', (select coalesce(json_agg(distinct a.platform), '[]') from publication t
      join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
      where t.workspace_id = p.workspace_id and t.post_id = p.id and t.dropped_at is null),
    'thumbnailUrl', (select ${fileUrl(filesUrl, sql`f.thumbnail_key`)} from post_media j
      join media_file f on f.workspace_id = j.workspace_id and f.id = j.media_file_id
      where j.workspace_id = p.workspace_id and j.post_id = p.id order by j.sort_order limit 1)) as json
  from post p where p.workspace_id = m.workspace_id and p.deleted_at is null and p.status = 'SCHEDULED'
    and p.happens_at >= app_now() order by p.happens_at, p.id limit 1`

/** Reads what needs a person in all of their workspaces, in one statement. Only a live session gives access. */
export async function getOverview(
  scopes: Pick<Scopes, 'ask'>,
  { settings }: Pick<Ports, 'settings'>,
  sessionId: string,
): Promise<{ data: WorkspaceOverview[]; nextCursor: null }> {
  const rows = await scopes.ask(
    'overview',
    query<{ json: WorkspaceOverview }>`
    with mine as materialized (select * from memberships(${sessionId})),
      approvals as (${approvals}), inbox as (${inbox}), accounts as (${accounts}), trouble as (${trouble})
    select json_build_object('workspaceId', m.workspace_id, 'name', w.name, 'timezone', w.timezone, 'role', m.role,
      'publishingPaused', w.publishing_paused_at is not null,
      'needs', coalesce(q.count, 0) + coalesce(a.count, 0) + coalesce(t.count, 0)
        + case when i.unanswered > 0 then 1 else 0 end,
      'approvals', coalesce(q.count, 0),
      'inbox', json_build_object('unanswered', coalesce(i.unanswered, 0), 'escalated', coalesce(i.escalated, 0)), 'accounts', coalesce(a.items, '[]'),
      'troubles', coalesce(t.kinds, ${NO_TROUBLE}::json), 'next', n.json) as json
    from mine m join workspace w on w.id = m.workspace_id
    left join approvals q on q.workspace_id = m.workspace_id left join accounts a on a.workspace_id = m.workspace_id
    left join inbox i on i.workspace_id = m.workspace_id
    left join trouble t on t.workspace_id = m.workspace_id
    left join lateral (${next(settings.filesUrl())}) n on true
    order by lower(w.name), w.id`,
  )
  return { data: rows.map(({ json }) => json), nextCursor: null }
}
