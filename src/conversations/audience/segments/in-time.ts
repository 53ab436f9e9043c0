import { AppError } from '../../../core/errors.ts'
import { codeOf, type Query, query } from '../../../core/platform/db.ts'
import type { Scope } from '../../../core/platform/scope.ts'

const WITHIN_MS = 1_000

/**
 * Returns the rows of a read with a user's filter, which can be arbitrarily slow, or null if it takes over a second.
 */
export async function readInTime<R>(scope: Scope, statement: Query<R>): Promise<R[] | null> {
  try {
    const [, rows] = await scope.read(
      query`select set_config('statement_timeout', ${String(WITHIN_MS)}, true)`,
      statement,
    )
    return rows
  } catch (error) {
    const isOverdue = error instanceof AppError && codeOf(error.cause) === '57014'
    if (!isOverdue) throw error
    return null
  }
}
