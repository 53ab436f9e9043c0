import { uuidv7 } from 'uuidv7'
import { invalid } from '../../core/errors.ts'
import { type Page, pageByName, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { claimName, lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { type Label, type LabelPatch, MOST_LABELS, type NewLabel } from './api.ts'

/** The order of labels `l` everywhere. */
export const labelOrder = sql`lower(l.name), l.id`

/** A label `l` as shown on the objects that carry it. */
export const labelMark = sql`json_build_object('id', l.id, 'name', l.name, 'color', l.color)`

const labelsWhere = (workspaceId: string, more: ReturnType<typeof sql>) =>
  whole<{
    key: string
    json: Label
  }>(sql`select lower(l.name) as key, json_build_object('id', l.id, 'name', l.name, 'color', l.color, 'version', l.version,
      'createdAt', iso(l.created_at), 'updatedAt', iso(l.updated_at)) as json
    from label l where l.workspace_id = ${workspaceId} and ${more}`)

/** Returns a page of the labels, by name. */
export async function listLabels(scope: Scope, request: PageRequest): Promise<Page<Label>> {
  const byName = pageByName(sql`l.name`, sql`l.id`, request)
  const [rows] = await scope.read(labelsWhere(scope.workspaceId, byName.rows))
  return byName.of(rows)
}

const LIST = { table: 'label', most: MOST_LABELS } as const

function recordAct(tx: Tx, act: 'created' | 'changed' | 'deleted', id: string, name: string): void {
  tx.record({ type: `label.${act}`, subject: { labelId: id }, data: { name } })
}

const readLabel = async (tx: Tx, id: string): Promise<Label> =>
  (await tx.one(labelsWhere(tx.workspaceId, sql`l.id = ${id}`), 'not_found')).json

/** Saves a label. Throws `name_taken`, `too_many_saved`. */
export async function createLabel(scope: Scope, { name, color }: NewLabel): Promise<Label> {
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await lockList(tx)
    await claimName(tx, LIST, { id, name })
    await tx.run(query`insert into label (workspace_id, id, name, color)
      values (${tx.workspaceId}, ${id}, ${name}, ${color})`)
    recordAct(tx, 'created', id, name)
    return readLabel(tx, id)
  })
}

/**
 * Returns the label, locked against other changes until the end of the transaction. Throws `not_found`,
 * `stale_version`.
 */
async function lockLabel(tx: Tx, id: string, ifMatch: number | undefined): Promise<Label> {
  await lockList(tx)
  const label = await readLabel(tx, id)
  refuseStale(label.version, ifMatch)
  return label
}

/**
 * Changes a label. Only a real change raises the version. Throws `stale_version`, `name_taken`, `validation_failed`.
 */
export async function updateLabel(scope: Scope, id: string, patch: LabelPatch, ifMatch?: number): Promise<Label> {
  return scope.transaction(async (tx) => {
    const current = await lockLabel(tx, id, ifMatch)
    const faults = readOnlyFaults(patch, current, ['name', 'color'])
    if (faults.length > 0) throw invalid(...faults)
    const { name, color, version } = { ...current, ...(patch as Partial<NewLabel>) }
    if (name === current.name && color === current.color) return current
    if (name !== current.name) await claimName(tx, LIST, { id, name })
    await tx.one(
      query`update label set name = ${name}, color = ${color}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'stale_version',
      { current: version },
    )
    recordAct(tx, 'changed', id, name)
    return readLabel(tx, id)
  })
}

/** Deletes a label and removes it from all objects that carry it. */
export async function deleteLabel(scope: Scope, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const { name, version } = await lockLabel(tx, id, ifMatch)
    await tx.one(
      query`delete from label where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
      'not_found',
    )
    recordAct(tx, 'deleted', id, name)
  })
}
