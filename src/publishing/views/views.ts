import { isDeepStrictEqual } from 'node:util'
import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { passing } from '../../core/http/rules.ts'
import { type Page, pageByName, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import { lockList } from '../../core/platform/named-lists.ts'
import { readOnlyFaults, refuseStale } from '../../core/platform/patch.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { MOST_VIEWS, type NewSavedView, type SavedView, type SavedViewPatch } from './api.ts'

/** The acting member. The scope guarantees that the role is no lower than this. */
export interface Viewer {
  userId: string
  role: Role | null
}

/** Selects the views `v` that a member sees: shared ones and their own. */
const viewsWhere = (workspaceId: string, userId: string, more: ReturnType<typeof sql>) =>
  whole<{
    key: string
    json: SavedView
  }>(sql`select lower(v.name) as key, json_build_object('id', v.id, 'name', v.name, 'screen', v.screen, 'filters', v.filters,
      'shared', v.owner_id is null, 'version', v.version, 'createdAt', iso(v.created_at), 'updatedAt', iso(v.updated_at)) as json
    from saved_view v where v.workspace_id = ${workspaceId} and (v.owner_id is null or v.owner_id = ${userId}) and ${more}`)

/** Returns a page of the views that a member sees, by name. */
export async function listViews(scope: Scope, { userId }: Viewer, request: PageRequest): Promise<Page<SavedView>> {
  const byName = pageByName(sql`v.name`, sql`v.id`, request)
  const [rows] = await scope.read(viewsWhere(scope.workspaceId, userId, byName.rows))
  return byName.of(rows)
}

/** Throws `role_required` below ADMIN: only ADMIN and above change shared views. */
function refuseOthers({ role }: Viewer): void {
  if (role !== null && passing({ role: 'ADMIN' }).includes(role)) return
  throw new AppError('role_required', undefined, { required: 'ADMIN', actual: role })
}

/**
 * Throws `name_taken` if a view of the same audience and screen has the name, and `too_many_saved` if there are too
 * many.
 */
async function refuseExcess(
  tx: Tx,
  id: string,
  ownerId: string | null,
  { name, screen }: Pick<SavedView, 'name' | 'screen'>,
) {
  const { count, taken } = await tx.one(
    query<{ count: number; taken: boolean }>`select count(*)::int as count,
        coalesce(bool_or(screen = ${screen} and lower(name) = lower(${name})), false) as taken
      from saved_view where workspace_id = ${tx.workspaceId} and owner_id is not distinct from ${ownerId}::uuid
        and id <> ${id}`,
    'not_found',
  )
  if (taken) throw new AppError('name_taken')
  if (count >= MOST_VIEWS) throw new AppError('too_many_saved', undefined, { limit: MOST_VIEWS })
}

/** Records an act on a shared view. Members' own views are private and leave no record. */
function recordAct(tx: Tx, act: 'created' | 'changed' | 'deleted', { id, name }: Pick<SavedView, 'id' | 'name'>): void {
  tx.record({ type: `view.${act}`, subject: { viewId: id }, data: { name } })
}

const readView = async (tx: Tx, { userId }: Viewer, id: string): Promise<SavedView> =>
  (await tx.one(viewsWhere(tx.workspaceId, userId, sql`v.id = ${id}`), 'not_found')).json

/** Throws `validation_failed` with every id in the filters that does not exist. */
async function refuseUnknown(tx: Tx, { accountId, mediaFileId, label = [] }: SavedView['filters']) {
  if (accountId === undefined && mediaFileId === undefined && label.length === 0) return
  const known = await tx.one(
    query<{ account: boolean; file: boolean; labels: string[] }>`select
      exists (select from social_account where workspace_id = ${tx.workspaceId} and id = ${accountId ?? null}) as account,
      exists (select from media_file where workspace_id = ${tx.workspaceId} and id = ${mediaFileId ?? null} and deleted_at is null) as file,
      array(select id::text from label where workspace_id = ${tx.workspaceId} and id = any (${label}::uuid[])) as labels`,
    'not_found',
  )
  const faults = [
    ...(accountId === undefined || known.account ? [] : [unknown('accountId', 'No account has this ID.')]),
    ...(mediaFileId === undefined || known.file ? [] : [unknown('mediaFileId', 'No file has this ID.')]),
    ...label.flatMap((id, index) =>
      known.labels.includes(id.toLowerCase()) ? [] : [unknown(`label/${index}`, 'No label has this ID.')],
    ),
  ]
  if (faults.length > 0) throw invalid(...faults)
}

const unknown = (place: string, message: string) => ({ path: `/filters/${place}`, code: 'unknown_id', message })

/** Saves a new view. Throws `validation_failed`, `role_required`, `name_taken`, `too_many_saved`. */
export async function createView(
  scope: Scope,
  member: Viewer,
  { name, screen, filters, shared = false }: NewSavedView,
): Promise<SavedView> {
  if (shared) refuseOthers(member)
  const ownerId = shared ? null : member.userId
  return scope.transaction(async (tx) => {
    const id = uuidv7()
    await refuseUnknown(tx, filters)
    await lockList(tx)
    await refuseExcess(tx, id, ownerId, { name, screen })
    await tx.run(query`insert into saved_view (workspace_id, id, owner_id, screen, name, filters)
      values (${tx.workspaceId}, ${id}, ${ownerId}, ${screen}, ${name}, ${JSON.stringify(filters)})`)
    if (shared) recordAct(tx, 'created', { id, name })
    return readView(tx, member, id)
  })
}

/**
 * Returns the view and locks it against other changes until the transaction ends. Throws `not_found`, `role_required`,
 * `stale_version`.
 */
async function lockView(tx: Tx, member: Viewer, id: string, ifMatch: number | undefined): Promise<SavedView> {
  await lockList(tx)
  const view = await readView(tx, member, id)
  if (view.shared) refuseOthers(member)
  refuseStale(view.version, ifMatch)
  return view
}

/**
 * Changes a view. A view that is no longer shared belongs to the member who unshared it. Throws what `createView` and
 * `lockView` throw.
 */
export async function updateView(
  scope: Scope,
  member: Viewer,
  id: string,
  patch: SavedViewPatch,
  ifMatch?: number,
): Promise<SavedView> {
  return scope.transaction(async (tx) => {
    const current = await lockView(tx, member, id, ifMatch)
    const faults = readOnlyFaults(patch, current, ['name', 'filters', 'shared'])
    if (faults.length > 0) throw invalid(...faults)
    const next: SavedView = {
      ...current,
      name: patch.name ?? current.name,
      filters: patch.filters ?? current.filters,
      shared: patch.shared ?? current.shared,
    }
    if (isDeepStrictEqual(next, current)) return current
    // Filters are checked only if they change: an object deleted since then does not block other changes.
    if (!isDeepStrictEqual(next.filters, current.filters)) await refuseUnknown(tx, next.filters)
    if (next.shared) refuseOthers(member)
    const ownerId = next.shared ? null : member.userId
    await refuseExcess(tx, id, ownerId, next)
    await tx.one(
      query`update saved_view set name = ${next.name}, filters = ${JSON.stringify(next.filters)}, owner_id = ${ownerId},
          version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
      { current: current.version },
    )
    if (current.shared || next.shared) recordAct(tx, 'changed', next)
    return readView(tx, member, id)
  })
}

/** Deletes a view. Throws `not_found`, `role_required`, `stale_version`. */
export async function deleteView(scope: Scope, member: Viewer, id: string, ifMatch?: number): Promise<void> {
  await scope.transaction(async (tx) => {
    const view = await lockView(tx, member, id, ifMatch)
    await tx.one(
      query`delete from saved_view where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${view.version} returning id`,
      'not_found',
    )
    if (view.shared) recordAct(tx, 'deleted', view)
  })
}
