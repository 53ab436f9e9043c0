import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { migrate } from '../src/core/platform/migrate.ts'
import { startEmbedded } from '../src/core/platform/postgres/postgres.ts'

const MIGRATIONS = join(import.meta.dirname, '..', 'migrations')
const TEMPLATE = 'parley_template'

export interface TestDatabase {
  /** The connection string of a superuser. The product sets its own role in its transactions. */
  url: string
  /** Closes every connection and drops the database. */
  drop(): Promise<void>
}

let server: Promise<string> | undefined
let template: Promise<void> | undefined

/**
 * Creates a database with every migration applied and no other rows, on the run's shared server: a clone of a template
 * that is migrated once per run. No other test sees its names and rows, but all tests of the run share roles.
 */
export async function freshDatabase(): Promise<TestDatabase> {
  server ??= startServer()
  template ??= makeTemplate(await server)
  await template
  return clone(await server, TEMPLATE)
}

/** Creates an empty database, for tests that bring their own migrations. */
export async function emptyDatabase(): Promise<TestDatabase> {
  server ??= startServer()
  return clone(await server, 'template1')
}

async function clone(base: string, from: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await command(base, `create database ${name} template ${from} strategy file_copy`)
  return {
    url: withDatabase(base, name),
    drop: () => dropDatabase(base, name),
  }
}

/**
 * Drops a database. A plain drop is tried first, because the server waits a few seconds for connections that are just
 * closing. If it cut off such a connection, the error would reach a client that no longer listens.
 */
async function dropDatabase(base: string, name: string): Promise<void> {
  try {
    await command(base, `drop database if exists ${name}`)
  } catch (error) {
    if ((error as { code?: string }).code !== '55006') throw error
    await command(base, `drop database if exists ${name} with (force)`)
  }
}

/** The first caller of a run starts the server, later callers find it, and the run's teardown stops it. */
async function startServer(): Promise<string> {
  const started = await startEmbedded({ dataDir: inject('databaseDir'), fsync: false })
  started.leave()
  return started.url
}

/** The first caller of a run creates the template, the others wait for it. */
async function makeTemplate(base: string): Promise<void> {
  const client = new pg.Client({ connectionString: base })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('${TEMPLATE}'))`)
    const made = await client.query(`select from pg_database where datname = '${TEMPLATE}' and datistemplate`)
    if (made.rowCount) return
    await client.query(`drop database if exists ${TEMPLATE} with (force)`)
    await client.query(`create database ${TEMPLATE}`)
    await migrate(withDatabase(base, TEMPLATE), MIGRATIONS)
    await client.query(`alter database ${TEMPLATE} with is_template true allow_connections false`)
  } finally {
    await client.end()
  }
}

async function command(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.toString()
}
