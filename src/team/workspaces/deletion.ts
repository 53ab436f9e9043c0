import { AppError, invalid } from '../../core/errors.ts'
import type { PageRequest } from '../../core/platform/cursor.ts'
import { query, sql, whole } from '../../core/platform/db.ts'
import type { Jobs } from '../../core/platform/job-names.ts'
import { postMail } from '../../core/platform/mail.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'
import type { Role } from '../../core/http/endpoint.ts'
import { clearDefaultWorkspace } from '../identity/person.ts'
import type { Ports } from '../../services.ts'
import type { Workspace } from './api.ts'
import { deletionLetter } from './letters.ts'
import { lockOwn } from './members.ts'
import { isTypedName } from './rules.ts'
import { listWorkspaces } from './workspaces.ts'
import { workspaceOf } from './workspaces-shape.ts'

const DAY = 86_400_000
/**
 * Days for which a deleted workspace can be restored before it is erased. The database's own function has the same
 * value.
 */
const RESTORE_DAYS = 30

/** The reason of the pause after a restore. The web app has a text for it. */
const BACK = 'workspace_restored'

/**
 * Deletes a workspace. From now on nobody finds it, and it publishes and answers nothing; after 30 days its rows,
 * tokens and files are erased. Throws `role_required`, and `validation_failed` if the name is not that of the
 * workspace.
 */
export async function deleteWorkspace(
  scope: Scope,
  ports: Pick<Ports, 'crypto' | 'settings'>,
  userId: string,
  confirmName: string,
): Promise<void> {
  await scope.transaction(
    async (tx) => {
      const { name } = await lockOwn(tx, userId)
      if (!isTypedName(confirmName, name)) {
        throw invalid({ path: '/confirmName', code: 'wrong_name', message: 'This doesn’t match the workspace name.' })
      }
      await tx.one(
        query`update workspace set deleted_at = ${tx.now}, version = version + 1, updated_at = ${tx.now}
          where id = ${tx.workspaceId} and deleted_at is null returning id`,
        'not_found',
      )
      const until = new Date(tx.now.getTime() + RESTORE_DAYS * DAY)
      enqueueErasure(tx, until)
      tx.record({ type: 'workspace.deleted', subject: { workspaceId: tx.workspaceId } })
      const [owner] = await tx.run(query<{ email: string | null; name: string; language: string; timezone: string }>`
      select email, name, language, timezone from app_user where id = ${userId} and email_confirmed_at is not null`)
      if (!owner?.email) return
      const letter = deletionLetter(owner, name, until, `${ports.settings.publicUrl()}/app/me`)
      postMail(tx, ports, { kind: 'workspace-deleted', to: owner.email, letter })
    },
    { alone: 'members' },
  )
}

/** Returns a page of the deleted workspaces that the user owns and can still restore, newest first. */
export async function listDeleted(scopes: Pick<Scopes, 'scope'>, caller: Scope, userId: string, request: PageRequest) {
  const [found] = await caller.read(query<{ id: string }>`select deleted_workspaces(${userId}) as id`)
  return listWorkspaces(scopes, caller, userId, found, request)
}

interface DeletionState {
  role: Role
  deletedAt: Date | null
  /** Since when its rows are being erased. */
  erasingAt: Date | null
}

const deletionStateOf = (workspaceId: string, userId: string) =>
  sql<DeletionState>`select m.role, w.deleted_at, w.erasing_at from workspace w
    join member m on m.workspace_id = w.id and m.user_id = ${userId}
    where w.id = ${workspaceId}`

function refuseOthers({ role, deletedAt, erasingAt }: DeletionState, now: Date) {
  // The database's clock decides when the erasure begins, and this process may be behind it.
  const isOver = deletedAt !== null && now.getTime() - deletedAt.getTime() >= RESTORE_DAYS * DAY
  // Only its owner may learn that it existed.
  if (isOver || erasingAt || (deletedAt && role !== 'OWNER')) throw new AppError('not_found')
  if (role !== 'OWNER') throw new AppError('role_required', undefined, { required: 'OWNER', actual: role })
}

/** The gate of restoring, since other gates know no deleted workspaces. Throws `not_found`, `role_required`. */
export async function mayRestore(scope: Scope, userId: string): Promise<void> {
  const [[state]] = await scope.read(whole<DeletionState>(deletionStateOf(scope.workspaceId, userId)))
  if (!state) throw new AppError('not_found')
  refuseOthers(state, scope.now())
}

/**
 * Restores a deleted workspace for its OWNER. Publishing stays paused until a person resumes it, so that posts that
 * became due are not published by surprise. Throws `not_found`, `role_required`, and `invalid_state` if it is not
 * deleted.
 */
export async function restoreWorkspace(scope: Scope, userId: string): Promise<Workspace> {
  return scope.transaction(async (tx) => {
    const state = await tx.one(
      whole(sql<DeletionState>`${deletionStateOf(tx.workspaceId, userId)} for update of w`),
      'not_found',
    )
    refuseOthers(state, tx.now)
    const { deletedAt } = state
    if (!deletedAt) throw new AppError('invalid_state', undefined, { current: 'active', allowed: ['deleted'] })
    await tx.one(
      query`update workspace set deleted_at = null, publishing_paused_at = coalesce(publishing_paused_at, ${tx.now}),
        publishing_paused_reason = case when publishing_paused_at is null then ${BACK} else publishing_paused_reason end,
        version = version + 1, updated_at = ${tx.now}
        where id = ${tx.workspaceId} and deleted_at = ${deletedAt} returning id`,
      'not_found',
    )
    tx.record({ type: 'workspace.restored', subject: { workspaceId: tx.workspaceId } })
    return (await tx.one(workspaceOf(userId), 'not_found')).json
  })
}

/** The rows that one transaction erases at most, so that each stays far below the time limit of a statement. */
const BATCH = 1_000

interface Batch {
  erased: number
  /** Whether rows are left. */
  more: boolean
  /** The keys of files, one list for each row that named some. */
  files: string[][]
  accounts: Jobs['account-revocation'][]
}

const enqueueErasure = (tx: Tx, runAt?: Date) =>
  tx.enqueue('workspace-erasure', {}, { key: `erasure:${tx.workspaceId}`, ...(runAt && { runAt }) })

/**
 * Erases a batch of the rows of a workspace that was deleted 30 days ago, and enqueues the next one. The job that gives
 * a permission back to its network and the one that removes a file leave with the row that named them. A workspace that
 * was restored stays as it is.
 */
export async function eraseWorkspace(scope: Scope): Promise<void> {
  const { erased, more } = await scope.transaction(async (tx) => {
    const batch = await tx.one(
      query<Batch>`select erased, more, files, accounts from erase_workspace_batch(${BATCH})`,
      'not_found',
    )
    for (const account of batch.accounts) tx.enqueue('account-revocation', account)
    const keys = [...new Set(batch.files.flat())]
    if (keys.length > 0) tx.enqueue('storage-removal', { keys })
    if (batch.more) enqueueErasure(tx)
    else if (batch.erased > 0) await clearDefaultWorkspace(tx)
    return batch
  })
  if (erased > 0 && !more) scope.log.info('a deleted workspace was erased')
}

/** Whether the erasure of a workspace is more than a day late. */
const isLate = sql`deleted_at <= app_now() - make_interval(days => ${RESTORE_DAYS + 1})`

/** Enqueues the erasure of each workspace whose time is over, in case its job is lost or has failed. */
export async function sweepErasures(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const over = await scopes.ask(
    'sweep',
    query<{ id: string; isLate: boolean }>`select id, ${isLate} as is_late from workspace
      where deleted_at <= app_now() - make_interval(days => ${RESTORE_DAYS})`,
  )
  for (const { id } of over) {
    await scopes.scope(id, scope.actor).transaction(async (tx) => void enqueueErasure(tx))
  }
  const late = over.filter((each) => each.isLate).length
  if (late > 0) scope.log.warn({ workspaces: late }, 'the erasure of deleted workspaces is more than a day late')
}

/** Counts the deleted workspaces whose erasure is more than a day late. */
export async function countLateErasures(scopes: Pick<Scopes, 'ask'>): Promise<number> {
  const [counted] = await scopes.ask(
    'sweep',
    query<{ count: number }>`select count(*)::int as count from workspace where ${isLate}`,
  )
  return counted?.count ?? 0
}
