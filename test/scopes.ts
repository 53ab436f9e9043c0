import pg from 'pg'
import { createClock } from '../src/core/platform/clock.ts'
import { openPool } from '../src/core/platform/db.ts'
import { createLog } from '../src/core/platform/log.ts'
import { createScopes, type Scope, type Scopes, type Subscribers } from '../src/core/platform/scope.ts'
import { freshDatabase } from './database.ts'

export interface OwnDatabase {
  url: string
  /** Access as a superuser. */
  sql: pg.Client
  /** Access as the product has it. */
  pool: pg.Pool
  scopes: Scopes
  /** Returns the scope of a workspace. */
  scopeOf(workspaceId: string): Scope
  close(): Promise<void>
}

interface Options {
  connections?: number
  subscribers?: readonly Subscribers[]
}

/** Opens a database of the caller's own, for tests that call functions of the product without its process. */
export async function openDatabase({ connections = 2, subscribers = [] }: Options = {}): Promise<OwnDatabase> {
  const database = await freshDatabase()
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  const pool = openPool(database.url, connections, (error) => console.error(error))
  const log = createLog('silent')
  const scopes = createScopes({ pool, events: { publish() {} }, clock: createClock(), log, subscribers })
  return {
    url: database.url,
    sql,
    pool,
    scopes,
    scopeOf: (workspaceId) => scopes.scope(workspaceId, { kind: 'system', name: 'test' }),
    async close() {
      await pool.end()
      await sql.end()
      await database.drop()
    },
  }
}
