import type { RawBuilder } from 'kysely'
import { AppError, type Code } from '../errors.ts'
import { query, sql } from './db.ts'
import type { Tx } from './scope.ts'

// Named things that people save in a workspace, such as labels and templates: a limited number, each name once.

/**
 * Makes the transactions that save in a workspace take turns. Two at once could both find a name, or the last place,
 * free.
 */
export const lockList = (tx: Tx) =>
  tx.one(query`select from workspace where id = ${tx.workspaceId} for no key update`, 'not_found')

interface NamedList {
  table: string
  /** The maximum number in a workspace. */
  most: number
  /** The rows of the table that belong to the list; all by default. */
  among?: RawBuilder<unknown>
  /** The error code for one too many. */
  tooMany?: Code
}

/**
 * Checks a new or changed name of a row; call `lockList` first. Names that differ only in case are equal. Returns the
 * number of other rows. Throws `name_taken`, or `tooMany`.
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
