import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { type Page, pageBy, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import type { Memory } from './api.ts'
import { BEGINS, KEYS, mayRemember, MOST, raised, sameValue, USED } from './rules.ts'

// What the bot remembers about customers. Has every statement that writes the table `memory`.

const typeOf = sql.join(
  [sql`case m.key`, ...Object.entries(KEYS).map(([key, { type }]) => sql`when ${key} then ${type}`), sql`end`],
  sql` `,
)

const memoryShape = sql`json_build_object('id', m.id, 'scope', m.scope, 'owner', m.owner, 'memoryType', ${typeOf}, 'key', m.key,
  'value', m.value, 'confidence', m.confidence, 'hitCount', m.hit_count, 'fromMessageId', m.from_message,
  'expiresAt', iso(m.expires_at), 'createdAt', iso(m.created_at))`

const isValid = sql`m.valid_until is null and (m.expires_at is null or m.expires_at > app_now())`

/**
 * Selects the owners of the memories that apply in a thread: the thread, the identity of its customer, and the
 * customer.
 */
const ownersOf = (
  workspaceId: string,
  threadId: string | null,
) => sql`select t.id as owner, 'thread' as scope from thread t
    where t.workspace_id = ${workspaceId} and t.id = ${threadId}
  union all select t.identity_id, 'customer' from thread t where t.workspace_id = ${workspaceId} and t.id = ${threadId}
  union all select i.node_id, 'audience' from thread t join audience_identity i on i.workspace_id = t.workspace_id and i.id = t.identity_id
    where t.workspace_id = ${workspaceId} and t.id = ${threadId}`

interface Wanted {
  conversationId?: string | undefined
  scope?: Memory['scope'] | undefined
  owner?: string | undefined
}

/**
 * Returns a page of the memories that apply in a thread, or of those of one owner. Throws `validation_failed` without
 * either, and `not_found`.
 */
export async function listMemory(scope: Scope, wanted: Wanted & PageRequest): Promise<Page<Memory>> {
  const { workspaceId } = scope
  const { conversationId, scope: kind, owner } = wanted
  if (conversationId === undefined && (kind === undefined || owner === undefined)) {
    throw invalid({
      path: '/conversationId',
      code: 'required',
      message: 'Set `conversationId`, or `scope` and `owner`.',
    })
  }
  const owners =
    conversationId === undefined
      ? sql`select ${owner}::uuid as owner, ${kind}::text as scope`
      : ownersOf(workspaceId, conversationId)
  const columns = [
    [sql`m.scope`, 'text'],
    [sql`m.key`, 'text'],
    [sql`m.id`, 'uuid'],
  ] as const
  const byKey = pageBy<{ json: Memory }>(columns, wanted, ({ json }) => [json.scope, json.key, json.id], 'asc')
  const [rows, [thread]] = await scope.read(
    whole<{
      json: Memory
    }>(sql`select ${memoryShape} as json from memory m join (${owners}) o on o.owner = m.owner and o.scope = m.scope
      where m.workspace_id = ${workspaceId} and ${isValid} and ${byKey.rows}`),
    query`select from thread where workspace_id = ${workspaceId} and id = ${conversationId ?? null}`,
  )
  if (conversationId !== undefined && !thread) throw new AppError('not_found')
  const { data, nextCursor } = byKey.of(rows)
  return { data: data.map(({ json }) => json), nextCursor }
}

/**
 * Deletes one value, or all values of an owner. Throws `validation_failed` without either, and `not_found` for an
 * unknown id.
 */
export async function deleteMemory(scope: Scope, wanted: { id?: string | undefined } & Wanted): Promise<void> {
  const { id, scope: kind, owner } = wanted
  if ((id === undefined) === (kind === undefined || owner === undefined)) {
    throw invalid({ path: '/id', code: 'required', message: 'Set either `id`, or `scope` and `owner`.' })
  }
  await scope.transaction(async (tx) => {
    if (id === undefined) {
      await tx.run(
        query`delete from memory where workspace_id = ${tx.workspaceId} and scope = ${kind} and owner = ${owner}`,
      )
    } else {
      await tx.one(
        query`delete from memory where workspace_id = ${tx.workspaceId} and id = ${id} returning id`,
        'not_found',
      )
    }
    tx.record({ type: 'memory.deleted', subject: {}, data: id === undefined ? { scope: kind } : {} })
  })
}

export interface Remembered {
  id: string
  key: Memory['key']
  value: string
}

/**
 * Selects what the model may know about the customer of a thread, by falling confidence. This is a query, so that it
 * can be read with others.
 */
export const rememberedIn = (workspaceId: string, threadId: string | null) =>
  whole<Remembered>(sql`select m.id, m.key, m.value from memory m
    join (${ownersOf(workspaceId, threadId)}) o on o.owner = m.owner and o.scope = m.scope
    where m.workspace_id = ${workspaceId} and ${isValid} and m.confidence >= ${USED} order by m.confidence desc, m.id desc limit ${MOST}`)

/** Counts the use of values in a reply that was sent. */
export const countHits = (tx: Tx, ids: readonly string[]) =>
  tx.run(
    query`update memory set hit_count = hit_count + 1 where workspace_id = ${tx.workspaceId} and id = any (${ids}::uuid[])`,
  )

interface Said {
  threadId: string
  messageId: string
  message: string
}

interface Row {
  id: string
  value: string
  confidence: number
}

/**
 * Remembers in the thread what the model proposes and the rules allow. A value that the customer has also said in
 * another thread is remembered for the customer too. Repetition raises the confidence in a value, and a new value of a
 * key replaces the old one. The caller has locked the thread.
 */
export async function remember(
  tx: Tx,
  { threadId, messageId, message }: Said,
  proposed: readonly { key: string; value: string }[],
): Promise<void> {
  for (const { key, value } of proposed) {
    if (!mayRemember(key, value, message)) continue
    await put(tx, { scope: 'thread', owner: threadId, key, value, messageId })
    const [customer] = await tx.run(query<{ owner: string; isRepeated: boolean }>`select t.identity_id as owner,
        exists (select from memory m join thread o on o.workspace_id = m.workspace_id and o.id = m.owner
          where m.workspace_id = t.workspace_id and m.scope = 'thread' and o.identity_id = t.identity_id and o.id <> t.id
            and m.key = ${key} and lower(m.value) = lower(${value})) as is_repeated
      from thread t where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId}`)
    if (customer?.isRepeated) await put(tx, { scope: 'customer', owner: customer.owner, key, value, messageId })
  }
}

async function put(
  tx: Tx,
  {
    scope,
    owner,
    key,
    value,
    messageId,
  }: { scope: Memory['scope']; owner: string; key: Memory['key']; value: string; messageId: string },
): Promise<void> {
  const expiresAt = new Date(tx.now.getTime() + KEYS[key].life)
  const [known] =
    await tx.run(query<Row>`select id, value, confidence from memory where workspace_id = ${tx.workspaceId}
    and scope = ${scope} and owner = ${owner} and key = ${key} and valid_until is null for update`)
  if (known && sameValue(known.value, value)) {
    await tx.run(query`update memory set confidence = ${raised(known.confidence)}, expires_at = ${expiresAt}
      where workspace_id = ${tx.workspaceId} and id = ${known.id} and valid_until is null`)
    return
  }
  if (known) {
    await tx.run(query`update memory set valid_until = ${tx.now} where workspace_id = ${tx.workspaceId} and id = ${known.id}
      and valid_until is null`)
  }
  await tx.run(query`insert into memory (workspace_id, id, scope, owner, key, value, confidence, from_message, expires_at)
    values (${tx.workspaceId}, ${uuidv7()}, ${scope}, ${owner}, ${key}, ${value}, ${BEGINS}, ${messageId}, ${expiresAt})`)
}

/** Deletes what was remembered from a message. */
export const eraseMemoryFrom = (tx: Tx, messageId: string) =>
  tx.run(query`delete from memory where workspace_id = ${tx.workspaceId} and from_message = ${messageId}`)

/** Deletes everything remembered about a customer: the memories of the given threads, identities and customers. */
export const eraseMemory = (tx: Tx, owners: readonly string[]) =>
  tx.run(query`delete from memory where workspace_id = ${tx.workspaceId} and owner = any (${owners}::uuid[])`)
