import { sql } from '../../core/platform/db.ts'
import { personShape } from '../../team/identity/person-shape.ts'
import { SHOWN_THREADS } from './api.ts'
import { UNDO_WITHIN } from './rules.ts'

// The shape of a customer `n` in the API, as SQL for one JSON value, and which customers there are.

const UNDO_INTERVAL = `${UNDO_WITHIN} milliseconds`

/** The fields of a customer `n` in lists. */
const nodeFields = sql`'id', n.id, 'name', n.name,
  'username', (select i.username from audience_identity i where i.workspace_id = n.workspace_id and i.node_id = n.id
    and i.username is not null order by i.last_seen desc nulls last, i.id limit 1),
  'platforms', coalesce((select json_agg(distinct a.platform order by a.platform) from audience_identity i
    join social_account a on a.workspace_id = i.workspace_id and a.id = i.account_id
    where i.workspace_id = n.workspace_id and i.node_id = n.id), '[]'),
  'language', n.language, 'tags', n.tags, 'engagement', engagement(n.heat, n.heat_at, app_now()), 'lastSeen', iso(n.last_seen),
  'createdAt', iso(n.created_at), 'version', n.version`
/** A customer in a list. */
export const nodeShape = sql`json_build_object(${nodeFields})`

/** A customer with their identities, conversations and newest merge. */
export const openShape = sql`json_build_object(${nodeFields},
  'identities', coalesce((select json_agg(json_build_object('id', i.id, 'accountId', i.account_id, 'platform', a.platform,
      'username', i.username, 'engagement', engagement(i.heat, i.heat_at, app_now()), 'lastSeen', iso(i.last_seen)) order by i.id)
    from audience_identity i join social_account a on a.workspace_id = i.workspace_id and a.id = i.account_id
    where i.workspace_id = n.workspace_id and i.node_id = n.id), '[]'),
  'threads', coalesce((select json_agg(json_build_object('id', t.id, 'accountId', t.account_id, 'platform', a.platform, 'kind', t.kind,
      'status', t.status, 'sentiment', t.sentiment, 'text', left(m.text, 200), 'source', m.source,
      'author', ${personShape(sql`m.author`)}, 'lastInAt', iso(t.last_in_at)) order by coalesce(t.last_in_at, t.opened_at) desc, t.id desc)
    from (select t.* from thread t join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
      where i.workspace_id = n.workspace_id and i.node_id = n.id
      order by coalesce(t.last_in_at, t.opened_at) desc, t.id desc limit ${SHOWN_THREADS}) t
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    left join lateral (select m.text, m.source, m.author from message m where m.workspace_id = t.workspace_id and m.thread_id = t.id
      and m.direction <> 'INTERNAL' and m.is_intended order by m.at desc, m.id desc limit 1) m on true), '[]'),
  'lastMerge', (select json_build_object('customerId', o.id, 'name', o.name, 'at', iso(m.at), 'undoUntil', iso(m.at + ${UNDO_INTERVAL}::interval))
    from audience_merge m join audience_node o on o.workspace_id = m.workspace_id and o.id = m.merged_id
    where m.workspace_id = n.workspace_id and m.node_id = n.id and m.at >= app_now() - ${UNDO_INTERVAL}::interval
    order by m.at desc, m.id desc limit 1))`

/** Matches customers `n` that are neither erased nor merged into another. */
export const isHere = (workspaceId: string) =>
  sql`n.workspace_id = ${workspaceId} and n.erased_at is null and n.merged_into is null`
