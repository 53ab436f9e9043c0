import { sql, whole } from '../../core/platform/db.ts'
import type { Workspace } from './api.ts'

/** A workspace as the API returns it to its member `userId`. A CLIENT does not see why it is paused or what waits. */
const workspaceShape = sql`json_build_object('id', w.id, 'name', w.name, 'timezone', w.timezone, 'weekStart', w.week_start,
  'language', w.language, 'niche', w.niche, 'approvalMode', w.approval_mode, 'linkTags', w.link_tags,
  'publishing', json_build_object('paused', w.publishing_paused_at is not null, 'reason', case when m.role <> 'CLIENT' then w.publishing_paused_reason end,
    'onResume', w.publishing_on_resume, 'due', case when m.role = 'CLIENT' then null when w.publishing_paused_at is null then 0 else (select count(*)::int from post p
      where p.workspace_id = w.id and p.deleted_at is null and p.status = 'SCHEDULED' and p.scheduled_at <= app_now()) end),
  'bot', json_build_object('paused', w.bot_paused_at is not null, 'reason', case when m.role <> 'CLIENT' then w.bot_paused_reason end),
  'role', m.role, 'plan', s.plan_id, 'version', w.version, 'createdAt', iso(w.created_at), 'updatedAt', iso(w.updated_at),
  'deletedAt', iso(w.deleted_at))`

export const workspaceOf = (userId: string) =>
  whole<{ json: Workspace }>(sql`select ${workspaceShape} as json from workspace w
    join member m on m.workspace_id = w.id and m.user_id = ${userId} join subscription s on s.workspace_id = w.id`)
