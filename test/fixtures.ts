import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type Running, startProduct } from './product.ts'
import { call } from './world.ts'

export interface ProductFixture {
  product: Pick<Running, 'url' | 'pid' | 'dataDir' | 'output'>
  /** Access to the database of the product as a superuser. */
  sql: Pick<pg.Pool, 'query' | 'connect'>
  database: Pick<TestDatabase, 'url'>
  /** The stand-ins that the product serves. */
  sandbox: { url: string }
}

/**
 * Settings for files that need a faster clock, many accounts or many AI calls. These files share one product process.
 */
export const FAST = {
  TIME_SCALE: '20',
  DEFAULT_PLAN: 'business',
  AI_CALLS_PER_MINUTE: '100000',
  CLASSIFICATIONS_PER_MINUTE: '100000',
}

export interface FixtureOptions {
  /** Settings of the product. Files with the same settings share a process. */
  env?: Record<string, string>
  /**
   * Whether this file has its own process and database, because it stops the product, moves its clock, or counts rows.
   */
  own?: boolean
}

interface Started {
  product: Running
  database: TestDatabase
  pool: pg.Pool
  /** The fixtures that use the process. Without any, it is paused. */
  users: number
}

/** The shared processes of this worker by their settings, the most recently used last. */
const shared = new Map<string, Promise<Started>>()
/** Enough for the settings that several files use. More processes would take connections and memory. */
const MOST_SHARED = 4

/**
 * Runs the product as a process with a database, from before the first test of the calling file until after its last.
 * Files of a worker with the same settings share a process: people, workspaces and posts of earlier files still exist,
 * while the stand-ins, the call budgets and the counted tries start empty with each file.
 */
export function useProduct({ env = {}, own = false }: FixtureOptions = {}): ProductFixture {
  let started: Started | undefined
  const use = () => {
    if (!started) throw new Error('The product runs from beforeAll on.')
    return started
  }
  beforeAll(async () => {
    started = own ? await start(env) : await share(env)
  })
  afterAll(() => started && (own ? end(started) : rest(started)))
  return {
    product: {
      get url() {
        return use().product.url
      },
      get pid() {
        return use().product.pid
      },
      get dataDir() {
        return use().product.dataDir
      },
      output: () => use().product.output(),
    },
    sql: {
      query: ((...args: Parameters<pg.Pool['query']>) => use().pool.query(...args)) as pg.Pool['query'],
      connect: (() => use().pool.connect()) as pg.Pool['connect'],
    },
    database: {
      get url() {
        return use().database.url
      },
    },
    sandbox: {
      get url() {
        return `${use().product.url}/sandbox`
      },
    },
  }
}

async function share(env: Record<string, string>): Promise<Started> {
  const key = JSON.stringify(env)
  const kept = shared.get(key)
  shared.delete(key)
  const [[oldest, unused] = []] = shared
  if (!kept && oldest !== undefined && unused && shared.size >= MOST_SHARED) {
    shared.delete(oldest)
    await end(await unused)
  }
  const starting = kept ?? start(env)
  shared.set(key, starting)
  const started = await starting
  started.users += 1
  if (started.users === 1) process.kill(started.product.pid, 'SIGCONT')
  if (kept) await clean(started)
  else leave(started)
  return started
}

/** Pauses a shared process that no fixture uses, because its sweeps take a twentieth of a core even without work. */
function rest(started: Started): void {
  started.users -= 1
  if (started.users === 0) process.kill(started.product.pid, 'SIGSTOP')
}

async function start(env: Record<string, string>): Promise<Started> {
  const database = await freshDatabase()
  const product = await startProduct({ databaseUrl: database.url, env })
  const pool = new pg.Pool({ connectionString: database.url, max: 5 })
  // An idle connection may be cut off, for example when a test restarts the database.
  pool.on('error', () => undefined)
  return { product, database, pool, users: 0 }
}

async function end({ product, database, pool }: Started): Promise<void> {
  process.kill(product.pid, 'SIGCONT')
  await pool.end()
  await product.stop()
  await database.drop()
}

/** Resets the networks and the limits, so that a file does not affect the next one. */
async function clean({ product, pool }: Started): Promise<void> {
  await call(`${product.url}/sandbox`, 'POST', '/reset', {})
  await pool.query('delete from try_count; delete from request_window; delete from network_call')
}

/** Records a shared process, which the run ends: a signal ends the worker. */
const leave = ({ product }: Started) => writeFileSync(join(inject('databaseDir'), `shared-${product.pid}`), '')
