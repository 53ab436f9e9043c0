import type { RawBuilder } from 'kysely'
import { AppError, invalid } from '../../core/errors.ts'
import { type Page, pageBy } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import {
  type AUDIENCE_ORDERS,
  type AudienceNode,
  type AudiencePatch,
  type AudienceQuery,
  type OpenAudienceNode,
} from './api.ts'
import { nameWords, searchRows } from '../threads/look-through.ts'
import type { SegmentFilter } from './segments/api.ts'
import { conditionOf, hasTag } from './segments/compile.ts'
import { readInTime } from './segments/in-time.ts'
import { isHere, nodeShape, openShape } from './shapes.ts'

/** The sort keys of each order, all descending, so that a cursor needs one row comparison. */
const orders = {
  engagement: [
    [sql`n.warmth`, 'bigint'],
    [sql`n.id`, 'uuid'],
  ],
  lastSeen: [
    [sql`n.contact`, 'bigint'],
    [sql`n.id`, 'uuid'],
  ],
} as const satisfies Record<(typeof AUDIENCE_ORDERS)[number], unknown>

/** Returns the filter of a segment. Throws `not_found`. */
async function filterOf(scope: Scope, segmentId: string): Promise<SegmentFilter> {
  const [[segment]] = await scope.read(query<{ filter: SegmentFilter }>`select filter from audience_segment
    where workspace_id = ${scope.workspaceId} and id = ${segmentId}`)
  if (!segment) throw new AppError('not_found')
  return segment.filter
}

/**
 * Lists a page of customers. Throws `not_found` for an unknown segment, and `validation_failed` if finding its
 * customers takes too long.
 */
export async function listAudience(
  scope: Scope,
  { limit, cursor, sort, text, tag, segmentId }: AudienceQuery,
): Promise<Page<AudienceNode>> {
  const columns = orders[sort]
  const page = pageBy<{ order: number; id: string }>(columns, { limit, cursor }, (row) => [row.order, row.id])
  const parts = [isHere(scope.workspaceId)]
  if (tag !== undefined) parts.push(hasTag(tag))
  if (segmentId !== undefined) parts.push(conditionOf(await filterOf(scope, segmentId)))
  const some = (more: RawBuilder<unknown>, rows = page.rows) =>
    sql`select n.*, ${columns[0][0]} as "order" from audience_node n where ${sql.join(parts, sql` and `)} and ${more} and ${rows}`
  const read = async (found: RawBuilder<unknown>) => {
    const statement = whole<{ json: AudienceNode; order: number; id: string }>(
      sql`select ${nodeShape} as json, n."order", n.id from (${found}) n order by n."order" desc, n.id desc`,
    )
    if (segmentId === undefined) return (await scope.read(statement))[0]
    const rows = await readInTime(scope, statement)
    if (rows) return rows
    throw invalid({
      path: '/segmentId',
      code: 'too_slow',
      message: 'Finding the customers in this segment took too long. Simplify its conditions.',
    })
  }
  const find = () => {
    if (text === undefined) return read(some(sql`true`))
    const words = nameWords(text)
    return searchRows(limit, {
      among: (most) =>
        read(sql`select n.* from (${some(sql`true`, pageBy(columns, { limit: most, cursor }, () => []).rows)}) n,
            ${words} name_words
          where n.words @@ name_words or exists (select from audience_identity i where i.workspace_id = n.workspace_id
            and i.node_id = n.id and i.words @@ name_words)
          order by n."order" desc, n.id desc limit ${limit + 1}`),
      byIndex: () => read(some(sql`n.id in (select customers_found(${words}))`)),
    })
  }
  const found = page.of(await find())
  return { data: found.data.map(({ json }) => json), nextCursor: found.nextCursor }
}

const customerWhere = (workspaceId: string, more: RawBuilder<unknown>) =>
  whole<{ json: OpenAudienceNode }>(
    sql`select ${openShape} as json from audience_node n where ${isHere(workspaceId)} and ${more}`,
  )

/** Returns a customer. Throws `not_found`, also for one that was erased or merged into another. */
export async function getCustomer(scope: Scope, id: string): Promise<OpenAudienceNode> {
  const [[row]] = await scope.read(customerWhere(scope.workspaceId, sql`n.id = ${id}`))
  if (!row) throw new AppError('not_found')
  return row.json
}

/** Returns a customer within a transaction. Throws `not_found`. */
export const readCustomer = async (tx: Tx, id: string): Promise<OpenAudienceNode> =>
  (await tx.one(customerWhere(tx.workspaceId, sql`n.id = ${id}`), 'not_found')).json

const WRITABLE = ['name', 'language', 'tags'] as const
type Corrected = Pick<AudienceNode, (typeof WRITABLE)[number]>

/**
 * Corrects fields of a customer. A patch that changes nothing keeps the version. The history names only the fields, so
 * that it holds nothing about a person who is erased later. Throws `not_found`, `stale_version`, `validation_failed`.
 */
export async function updateCustomer(
  scope: Scope,
  id: string,
  patch: AudiencePatch,
  ifMatch?: number,
): Promise<OpenAudienceNode> {
  return scope.transaction(async (tx) => {
    const current = await readCustomer(tx, id)
    const { version } = current
    refuseStale(version, ifMatch)
    const faults = readOnlyFaults(patch, current, WRITABLE)
    if (faults.length > 0) throw invalid(...faults)
    const next: Corrected = { ...current, ...(patch as Partial<Corrected>) }
    const fields = WRITABLE.filter((field) => JSON.stringify(next[field]) !== JSON.stringify(current[field]))
    if (fields.length === 0) return current
    await tx.one(
      query`update audience_node set name = ${next.name}, language = ${next.language}, tags = ${next.tags}, version = version + 1
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} and erased_at is null and merged_into is null
        returning id`,
      'stale_version',
      { current: version },
    )
    // Corrections by people survive the undoing of any of the customer's merges.
    await tx.run(query`update audience_merge set corrected = corrected || ${fields}::text[]
      where workspace_id = ${tx.workspaceId} and node_id = ${id}`)
    if (fields.includes('name')) for (const thread of current.threads) tx.emit({ kind: 'conversation', id: thread.id })
    tx.record({ type: 'customer.changed', subject: { customerId: id }, data: { fields } })
    return readCustomer(tx, id)
  })
}
