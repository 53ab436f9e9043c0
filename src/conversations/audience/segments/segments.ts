import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../../core/errors.ts'
import { type Page, pageByName, type PageRequest } from '../../../core/platform/cursor.ts'
import { query, sql, whole } from '../../../core/platform/db.ts'
import { claimName, lockList } from '../../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../../core/platform/patch.ts'
import type { Scope, Tx } from '../../../core/platform/scope.ts'
import { isHere } from '../shapes.ts'
import {
  type AudienceSegment,
  MOST_SEGMENTS,
  type NewSegment,
  type SegmentCount,
  type SegmentFilter,
  type SegmentPatch,
} from './api.ts'
import { conditionOf } from './compile.ts'
import { readInTime } from './in-time.ts'
import { faultsOf } from './rules.ts'

/** Counting stops at this number of customers. */
const MOST_COUNTED = 10_000

const segmentsWhere = (workspaceId: string, more: ReturnType<typeof sql>) =>
  whole<{
    key: string
    json: AudienceSegment
  }>(sql`select lower(s.name) as key, json_build_object('id', s.id, 'name', s.name, 'filter', s.filter, 'count', s.count, 'more', s.more,
      'countedAt', iso(s.counted_at), 'createdAt', iso(s.created_at), 'updatedAt', iso(s.updated_at), 'version', s.version) as json
    from audience_segment s where s.workspace_id = ${workspaceId} and ${more}`)

/** Returns a page of the segments, by name. */
export async function listSegments(scope: Scope, request: PageRequest): Promise<Page<AudienceSegment>> {
  const byName = pageByName(sql`s.name`, sql`s.id`, request)
  const [rows] = await scope.read(segmentsWhere(scope.workspaceId, byName.rows))
  return byName.of(rows)
}

/** Returns a segment, counted now, or with its last count if counting takes too long. Throws `not_found`. */
export async function getSegment(scope: Scope, id: string): Promise<AudienceSegment> {
  const [[row]] = await scope.read(segmentsWhere(scope.workspaceId, sql`s.id = ${id}`))
  if (!row) throw new AppError('not_found')
  const { filter, version } = row.json
  const { count, more } = await countCustomers(scope, filter)
  if (count === null) return row.json
  const [counted] = await scope.write(query<{ at: string }>`update audience_segment
    set count = ${count}, more = ${more}, counted_at = ${scope.now()}
    where workspace_id = ${scope.workspaceId} and id = ${id} and version = ${version} returning iso(counted_at) as at`)
  return counted ? { ...row.json, count, more, countedAt: counted.at } : row.json
}

/** Counts the customers that a filter matches. Throws `validation_failed`. */
export async function countFilter(scope: Scope, filter: SegmentFilter): Promise<SegmentCount> {
  refuseFaults(filter)
  return countCustomers(scope, filter)
}

async function countCustomers(scope: Scope, filter: SegmentFilter): Promise<SegmentCount> {
  const rows = await readInTime(
    scope,
    query<{ count: number }>`select count(*)::int as count from (select from audience_node n
      where ${isHere(scope.workspaceId)} and ${conditionOf(filter)} limit ${MOST_COUNTED + 1}) found`,
  )
  if (!rows) return { count: null, more: false }
  const { count } = rows[0]!
  return { count: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED }
}

const LIST = { table: 'audience_segment', most: MOST_SEGMENTS } as const

function refuseFaults(filter: SegmentFilter): void {
  const faults = faultsOf(filter)
  if (faults.length > 0) throw invalid(...faults)
}

const readSegment = async (tx: Tx, id: string): Promise<AudienceSegment> =>
  (await tx.one(segmentsWhere(tx.workspaceId, sql`s.id = ${id}`), 'not_found')).json

/** Saves a segment. Throws `name_taken`, `too_many_saved`, `validation_failed`. */
export async function createSegment(scope: Scope, { name, filter }: NewSegment): Promise<AudienceSegment> {
  refuseFaults(filter)
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await lockList(tx)
    await claimName(tx, LIST, { id, name })
    await tx.run(query`insert into audience_segment (workspace_id, id, name, filter)
      values (${tx.workspaceId}, ${id}, ${name}, ${JSON.stringify(filter)})`)
    tx.record({ type: 'segment.created', subject: { segmentId: id }, data: { name } })
    return readSegment(tx, id)
  })
}

/** Locks a segment against concurrent changes, and returns it. Throws `not_found`, `stale_version`. */
async function lockSegment(tx: Tx, id: string, ifMatch: number | undefined): Promise<AudienceSegment> {
  await lockList(tx)
  const segment = await readSegment(tx, id)
  refuseStale(segment.version, ifMatch)
  return segment
}

/** Changes a segment. A new filter clears the count. Throws `stale_version`, `name_taken`, `validation_failed`. */
export async function updateSegment(
  scope: Scope,
  id: string,
  patch: SegmentPatch,
  ifMatch?: number,
): Promise<AudienceSegment> {
  return scope.transaction(async (tx) => {
    const current = await lockSegment(tx, id, ifMatch)
    const faults = readOnlyFaults(patch, current, ['name', 'filter'])
    if (faults.length > 0) throw invalid(...faults)
    const { name, filter, version } = { ...current, ...(patch as Partial<NewSegment>) }
    const isOther = !isDeepStrictEqual(filter, current.filter)
    if (name === current.name && !isOther) return current
    if (isOther) refuseFaults(filter)
    if (name !== current.name) await claimName(tx, LIST, { id, name })
    await tx.one(
      query`update audience_segment set name = ${name}, filter = ${JSON.stringify(filter)}, version = version + 1,
          updated_at = ${tx.now}, count = case when ${isOther} then null else count end,
          counted_at = case when ${isOther} then null else counted_at end, more = more and not ${isOther}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'stale_version',
      { current: version },
    )
    tx.record({ type: 'segment.changed', subject: { segmentId: id }, data: { name } })
    return readSegment(tx, id)
  })
}

/** Deletes a segment. Throws `not_found`, `stale_version`. */
export async function deleteSegment(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { name, version } = await lockSegment(tx, id, ifMatch)
    await tx.one(
      query`delete from audience_segment where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'not_found',
    )
    tx.record({ type: 'segment.deleted', subject: { segmentId: id }, data: { name } })
  })
}
