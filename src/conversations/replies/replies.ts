import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { type Page, pageByName, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { claimName, lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { MOST_REPLIES, type NewSavedReply, type SavedReply, type SavedReplyPatch } from './api.ts'
import { fillReply, firstName, unknownPlaceholders } from './rules.ts'

const repliesWhere = (workspaceId: string, more: ReturnType<typeof sql>) =>
  whole<{
    key: string
    json: SavedReply
  }>(sql`select lower(r.name) as key, json_build_object('id', r.id, 'name', r.name, 'text', r.text, 'filled', null, 'version', r.version,
      'createdAt', iso(r.created_at), 'updatedAt', iso(r.updated_at)) as json
    from saved_reply r where r.workspace_id = ${workspaceId} and ${more}`)

interface Names {
  customer: string
  account: string
  me: string
}

/**
 * Returns a page of the saved replies, by name. With a conversation, each is filled as the caller would send it there.
 * Throws `not_found` for an unknown conversation.
 */
export async function listReplies(
  scope: Scope,
  { conversationId, ...request }: PageRequest & { conversationId?: string | undefined },
  userId: string,
): Promise<Page<SavedReply>> {
  const { workspaceId } = scope
  const byName = pageByName(sql`r.name`, sql`r.id`, request)
  const [rows, [names]] = await scope.read(
    repliesWhere(workspaceId, byName.rows),
    query<Names>`select coalesce(n.name, '') as customer, a.name as account,
        (select coalesce(u.name, '') from app_user u where u.id = ${userId}) as me
      from thread t join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
      left join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
      left join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
      where t.workspace_id = ${workspaceId} and t.id = ${conversationId ?? null}`,
  )
  if (conversationId !== undefined && !names) throw new AppError('not_found')
  const fill = (reply: SavedReply) =>
    names ? { ...reply, filled: fillReply(reply.text, { ...names, first_name: firstName(names.customer) }) } : reply
  const { data, nextCursor } = byName.of(rows)
  return { data: data.map(fill), nextCursor }
}

const LIST = { table: 'saved_reply', most: MOST_REPLIES } as const

function refuseUnknown(text: string): void {
  const names = unknownPlaceholders(text)
  if (names.length === 0) return
  throw invalid(
    ...names.map((name) => ({
      path: '/text',
      code: 'unknown',
      message: `{{${name}}} isn’t a placeholder. Use a known one, or remove the braces.`,
      name,
    })),
  )
}

const recordAct = (tx: Tx, act: 'created' | 'changed' | 'deleted', id: string, name: string) =>
  tx.record({ type: `saved_reply.${act}`, subject: { savedReplyId: id }, data: { name } })

const readReply = async (tx: Tx, id: string): Promise<SavedReply> =>
  (await tx.one(repliesWhere(tx.workspaceId, sql`r.id = ${id}`), 'not_found')).json

/** Saves a reply. Throws `name_taken`, `too_many_saved`, `validation_failed`. */
export async function createReply(scope: Scope, { name, text }: NewSavedReply): Promise<SavedReply> {
  refuseUnknown(text)
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await lockList(tx)
    await claimName(tx, LIST, { id, name })
    await tx.run(query`insert into saved_reply (workspace_id, id, name, text)
      values (${tx.workspaceId}, ${id}, ${name}, ${text})`)
    recordAct(tx, 'created', id, name)
    return readReply(tx, id)
  })
}

/** Locks a reply against concurrent changes, and returns it. Throws `not_found`, `stale_version`. */
async function lockReply(tx: Tx, id: string, ifMatch: number | undefined): Promise<SavedReply> {
  await lockList(tx)
  const reply = await readReply(tx, id)
  refuseStale(reply.version, ifMatch)
  return reply
}

/**
 * Changes a reply. A patch that changes nothing keeps the version. Throws `stale_version`, `name_taken`,
 * `validation_failed`.
 */
export async function updateReply(
  scope: Scope,
  id: string,
  patch: SavedReplyPatch,
  ifMatch?: number,
): Promise<SavedReply> {
  return scope.transaction(async (tx) => {
    const current = await lockReply(tx, id, ifMatch)
    const faults = readOnlyFaults(patch, current, ['name', 'text'])
    if (faults.length > 0) throw invalid(...faults)
    const { name, text, version } = { ...current, ...(patch as Partial<NewSavedReply>) }
    if (name === current.name && text === current.text) return current
    if (text !== current.text) refuseUnknown(text)
    if (name !== current.name) await claimName(tx, LIST, { id, name })
    await tx.one(
      query`update saved_reply set name = ${name}, text = ${text}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'stale_version',
      { current: version },
    )
    recordAct(tx, 'changed', id, name)
    return readReply(tx, id)
  })
}

export async function deleteReply(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { name, version } = await lockReply(tx, id, ifMatch)
    await tx.one(
      query`delete from saved_reply where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'not_found',
    )
    recordAct(tx, 'deleted', id, name)
  })
}
