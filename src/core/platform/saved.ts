import type { RawBuilder } from 'kysely'
import { AppError, type Code } from '../errors.ts'
import { query, sql } from './db.ts'
import type { Tx } from './scope.ts'

// What people save in a workspace, such as labels and templates: only so many, and each name once.

/** A transaction that saves waits here for the others of its workspace: two would find a name, or the last place, free. */
export const saveInTurn = (tx: Tx) =>
  tx.one(query`select from workspace where id = ${tx.workspaceId} for no key update`, 'not_found')

interface NamedList {
  table: string
  /** How many a workspace may have. */
  most: number
  /** Which rows of the table are of the list; all without it. */
  among?: RawBuilder<unknown>
  /** The code for one too many. */
  tooMany?: Code
}

/**
 * Checks in turn that a row may have a name, new or changed. Names that differ only in case are equal. Returns how many others there
 * are. Throws `name_taken`, `too_many_saved`.
 */
export async function claimName(
  tx: Tx,
  { table, most, among = sql`true`, tooMany = 'too_many_saved' }: NamedList,
  { id, name }: { id: string; name: string },
): Promise<number> {
  const { count, taken } = await tx.one(
    query<{ count: number; taken: boolean }>`select count(*)::int as count,
        coalesce(bool_or(lower(name) = lower(${name})), false) as taken
      from ${sql.table(table)} where workspace_id = ${tx.workspaceId} and id <> ${id} and ${among}`,
    'not_found',
  )
  if (taken) throw new AppError('name_taken')
  if (count >= most) throw new AppError(tooMany, undefined, { limit: most })
  return count
}
