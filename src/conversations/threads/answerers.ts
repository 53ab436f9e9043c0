import { sql } from '../../core/platform/db.ts'
import { ANSWERING } from '../../team/notifications/rules.ts'

/** Whether a member `p` may answer customers: by their role, and because their account is not disabled. */
export const mayAnswer = sql`(p.role = any (${ANSWERING}::text[])
  and not exists (select from app_user u where u.id = p.user_id and u.disabled_at is not null))`

/** Selects those of some people who may answer customers of a workspace, as an array. */
export const answerersAmong = (workspaceId: ReturnType<typeof sql>, people: ReturnType<typeof sql>) =>
  sql`array(select p.user_id from member p
    where p.workspace_id = ${workspaceId} and p.user_id in (${people}) and ${mayAnswer})`
