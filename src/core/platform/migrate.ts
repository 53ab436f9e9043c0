import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { inPresentFiles, RENAMES } from './replaced.ts'

/** An error about a migration that cannot be applied, with a message for the operator. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

export interface MigrateOptions {
  /** The name of the last file to apply; all by default. A restore builds the tables as they were at the backup. */
  upTo?: string
  /** Only a restore sets this. Otherwise a database that an unfinished restore has left is refused. */
  restoring?: boolean
  log?: (line: string) => void
}

interface Migration {
  name: string
  sql: string
  checksum: string
}

interface Applied {
  name: string
  checksum: string
  applied_at?: Date
}

// Session advisory lock numbers of Parley share the first number ('parl').
const LOCK = [0x7061726c, 2] as const
/** The comment on schema public while a restore is running. */
export const RESTORING = 'parley: restore in progress'

/**
 * Brings a database up to date: first the job queue's own schema, then each `NNNN_name.sql` of the directory that is
 * not applied yet, in the order of names and each in its own transaction. Needs a direct connection, not one through a
 * transaction pooler. Concurrent calls are safe: the second waits. A killed call leaves only whole files, and the next
 * call continues. Returns the names that it applied. Throws MigrationError when an applied file was changed, when a new
 * file comes before an applied one, and when a file fails. Files that only the database knows are logged and left
 * alone, so that a release can be rolled back. A database with all files that the initial set replaced counts as one
 * with the initial set, and keeps their names for the previous version.
 */
export async function migrate(
  connection: string | pg.ClientConfig,
  directory: string,
  options: MigrateOptions = {},
): Promise<string[]> {
  const files = await readMigrations(directory)
  const client = new pg.Client({
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: 'parley migrate',
  })
  client.on('error', (error) => options.log?.(`migrate: ${error.message}`))
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1, $2)', [...LOCK])
    if (!options.restoring) await refuseUnfinishedRestore(client)
    await installQueue(connection)
    await client.query(`
      create table if not exists public.migration (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`)
    const { rows } = await client.query<Applied>(
      'select name, checksum, applied_at from public.migration order by name',
    )
    const applied = presentFiles(rows, files)
    const adopted = applied.filter((each) => !rows.includes(each))
    if (adopted.length > 0) {
      await adopt(client, adopted)
      options.log?.(
        `migrate: this database has ${adopted.map(({ name }) => name).join(', ')} by the files they replaced`,
      )
    }
    const pending = compare(files, applied, options.log)
    const chosen = pending.filter(({ name }) => options.upTo === undefined || name <= options.upTo)
    for (const file of chosen) {
      await apply(client, file)
      options.log?.(`migrate: applied ${file.name}`)
    }
    return chosen.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** The migrations of a directory in order. Throws MigrationError for a malformed name and for a number used twice. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql') && name !== 'schema.sql').toSorted()
  for (const [index, name] of names.entries()) {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name))
      throw new MigrationError(`${name}: a migration must be named like 0001_name.sql`)
    if (names[index - 1]?.slice(0, 4) === name.slice(0, 4)) {
      throw new MigrationError(
        `${names[index - 1]} and ${name} have the same number: give one of them the next free number`,
      )
    }
  }
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(directory, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * The applied files in terms of these files. Throws MigrationError if only a part of the replaced files was applied.
 */
export function presentFiles<A extends Omit<Applied, 'applied_at'>>(
  applied: A[],
  files: Migration[],
): (A | Migration)[] {
  const found = inPresentFiles(applied, files)
  if (found) return found
  throw new MigrationError(
    'Only some of the migrations 0001_platform.sql to 0072_deliveries.sql were applied, and this version has one set in ' +
      'their place. Start the version that ends with 0072_deliveries.sql once, then this one.',
  )
}

async function refuseUnfinishedRestore(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ note: string | null }>(
    `select obj_description('public'::regnamespace, 'pg_namespace') as note`,
  )
  if (rows[0]?.note === RESTORING) {
    throw new MigrationError('A restore into this database was interrupted: run npm run restore again.')
  }
}

async function installQueue(connection: string | pg.ClientConfig): Promise<void> {
  const pool = new pg.Pool({
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    max: 2,
  })
  const failures: Error[] = []
  pool.on('error', (error) => failures.push(error))
  pool.on('connect', (client) => void client.on('error', (error) => failures.push(error)))
  const logger = new Logger(() => () => undefined) // its failures reject; its messages are not needed
  try {
    await runMigrations({ pgPool: pool, logger })
  } finally {
    await pool.end()
  }
  if (failures[0]) throw failures[0]
}

/** Marks the initial set as applied in a database that was built from the files it replaced. */
async function adopt(client: pg.Client, initial: Applied[]): Promise<void> {
  await client.query('begin')
  try {
    await client.query(RENAMES)
    for (const { name, checksum } of initial) await note(client, name, checksum)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const note = (client: pg.Client, name: string, checksum: string) =>
  client.query('insert into public.migration (name, checksum) values ($1, $2)', [name, checksum])

function compare(files: Migration[], applied: Applied[], log: MigrateOptions['log']): Migration[] {
  const byName = new Map(files.map((file) => [file.name, file]))
  for (const { name, checksum, applied_at } of applied) {
    const file = byName.get(name)
    if (!file) log?.(`migrate: ${name} was applied by a newer version and is not known to this one`)
    else if (file.checksum !== checksum) {
      throw new MigrationError(
        `${name} was changed after it was applied (${applied_at?.toISOString()}): restore the file, ` +
          'and put the change into a new file.',
      )
    }
  }
  const done = new Set(applied.map(({ name }) => name))
  const pending = files.filter(({ name }) => !done.has(name))
  const last = applied.filter(({ name }) => byName.has(name)).at(-1)?.name ?? ''
  const late = pending.find(({ name }) => name < last)
  if (late) {
    throw new MigrationError(`${late.name} is new, but ${last} is already applied: give it the next free number.`)
  }
  return pending
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await note(client, name, checksum)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new MigrationError(
      `${name}${placeOf(error, sql)}: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    )
  }
}

function placeOf(error: unknown, sql: string): string {
  const position = error instanceof pg.DatabaseError ? Number(error.position) : 0
  return position ? ` line ${sql.slice(0, position).split('\n').length}` : ''
}
