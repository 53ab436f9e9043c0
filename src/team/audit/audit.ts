import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { beginning } from '../../core/texts/beginning.ts'
import type { AuditEntry, AuditFilter } from './api.ts'

const BATCH = 500

/** The name of the product as an actor. */
const OURSELVES = 'Parley'
const BOT = 'Bot'
/** A person wrote in the app of the network, which does not say who it was. */
const NETWORK_APP = 'Network app'

/** The length of the part of a caption that names a post, in letters. */
const LONGEST = 80

/**
 * The entries of the workspace that match a filter, with the actor (for a link, the name of the link), and the person
 * and object concerned, by their present names. Returns addresses of members only.
 */
async function entries(scope: Scope, { action, actorId, from, to }: AuditFilter, place: ReturnType<typeof sql>) {
  const conditions = [sql`e.workspace_id = ${scope.workspaceId}`]
  if (action) conditions.push(sql`(e.action = ${action} or starts_with(e.action, ${`${action}.`}))`)
  if (actorId) conditions.push(sql`e.actor_id = ${actorId}`)
  if (from) conditions.push(sql`e.at >= ${from}`)
  if (to) conditions.push(sql`e.at < ${to}`)
  const found = query<AuditEntry & { caption: string | null }>`select e.id, iso(e.at) as at, json_build_object(
        'kind', e.actor_kind, 'id', e.actor_id,
        'name', case when e.actor_kind <> 'system' then u.name else coalesce(e.detail ->> 'link',
          case e.detail ->> 'by' when 'bot' then ${BOT} when 'network' then ${NETWORK_APP} else ${OURSELVES}::text end) end,
        'email', case when m.user_id is not null then u.email end) as actor,
      e.action, e.object, p.name as person, left(t.caption, 1000) as caption, coalesce(a.name, f.file_name) as subject,
      (select coalesce(json_agg(json_build_object('name', s.name, 'platform', s.platform) order by s.name, s.platform), '[]')
        from social_account s where s.workspace_id = e.workspace_id and (s.id = a.id or s.id in (select g.account_id
          from publication g where g.workspace_id = e.workspace_id and g.id in (select (e.object ->> 'publicationId')::uuid
            union all select each::uuid from jsonb_array_elements_text(case jsonb_typeof(e.detail -> 'publicationIds')
              when 'array' then e.detail -> 'publicationIds' else '[]' end) as each)))) as accounts, e.detail, e.ip, e.request_id
    from audit_entry e left join app_user u on u.id = e.actor_id
    left join app_user p on p.id = (e.object ->> 'userId')::uuid
    left join post t on t.workspace_id = e.workspace_id and t.id = (e.object ->> 'postId')::uuid
    left join social_account a on a.workspace_id = e.workspace_id and a.id = (e.object ->> 'accountId')::uuid
    left join media_file f on f.workspace_id = e.workspace_id and f.id = (e.object ->> 'mediaFileId')::uuid
    left join member m on m.workspace_id = e.workspace_id and m.user_id = e.actor_id
    where ${sql.join(conditions, sql` and `)} and ${place}`
  const [rows] = await scope.read(found)
  return rows.map(({ caption, ...entry }): AuditEntry => {
    const named = beginning(caption ?? '', LONGEST)
    return named ? { ...entry, subject: named } : entry
  })
}

/** A page of the workspace's entries, newest first. */
export async function listAudit(scope: Scope, filter: AuditFilter & PageRequest): Promise<Page<AuditEntry>> {
  const newest = page(sql`e.id`, filter)
  return newest.of(await entries(scope, filter, newest.rows))
}

/** All matching entries as lines of CSV, oldest first, read in portions. No cell begins a formula. */
export async function* exportAudit(scope: Scope, filter: AuditFilter): AsyncGenerator<string> {
  const { stringify } = await import('csv-stringify/sync')
  const lines = (rows: unknown[][], bom = false) => stringify(rows, { escape_formulas: true, bom })
  yield lines(
    [['time', 'action', 'by', 'e-mail', 'whom', 'what', 'accounts', 'object', 'detail', 'address', 'request']],
    true,
  )
  let after = sql`true`
  for (;;) {
    const rows = await entries(scope, filter, sql`${after} order by e.id limit ${BATCH}`)
    const last = rows.at(-1)
    if (!last) return
    // A reader can take hours: entries that they may no longer read are not sent.
    await scope.confirm()
    yield lines(
      rows.map(({ at, action, actor, person, subject, accounts, object, detail, ip, requestId }) => [
        at,
        action,
        actor.name ?? actor.kind,
        actor.email,
        person,
        subject,
        accounts.map(({ name, platform }) => `${name} (${platform})`).join(', '),
        JSON.stringify(object),
        JSON.stringify(detail),
        ip,
        requestId,
      ]),
    )
    if (rows.length < BATCH) return
    after = sql`e.id > ${last.id}`
  }
}
