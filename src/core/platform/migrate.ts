import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'

/** A migration that cannot be applied, in words for the person who started it. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

export interface MigrateOptions {
  /** The last file to apply, by name, instead of all: a restore builds the tables as they were at the backup. */
  upTo?: string
  /** Only the restore passes true: a database that it left unfinished is refused otherwise. */
  restoring?: boolean
  log?: (line: string) => void
}

interface Migration {
  name: string
  sql: string
  checksum: string
}

// Session advisory lock numbers of Parley share the first number ('parl').
const LOCK = [0x7061726c, 2] as const
/** Stands as the comment of schema public while a restore is under way. */
export const RESTORING = 'parley: restore in progress'

/**
 * Brings a database up to date: first the job queue's own schema, then each `NNNN_name.sql` of the directory that is
 * not yet applied, in the order of names and each in its own transaction. Needs a direct connection, not one through
 * a transaction pooler. Safe when two call it at once: the second waits. A call that was killed leaves whole files
 * only, and the next goes on. Resolves to the names it applied. Throws MigrationError when an applied file was
 * changed, when a new file comes before an applied one, and when a file fails. Files that only the database knows are
 * logged and left alone, so that a release can be rolled back.
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
    const applied = await client.query<{ name: string; checksum: string; applied_at: Date }>(
      'select name, checksum, applied_at from public.migration order by name',
    )
    const pending = compare(files, applied.rows, options.log)
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

/** The migrations of a directory in their order. Throws MigrationError for a name that does not fit. */
async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql') && name !== 'schema.sql').toSorted()
  for (const [index, name] of names.entries()) {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) throw new MigrationError(`${name}: a migration is named 0001_name.sql`)
    if (names[index - 1]?.slice(0, 4) === name.slice(0, 4)) {
      throw new MigrationError(`${names[index - 1]} and ${name} have the same number: give one the next free number`)
    }
  }
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(directory, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function refuseUnfinishedRestore(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ note: string | null }>(
    `select obj_description('public'::regnamespace, 'pg_namespace') as note`,
  )
  if (rows[0]?.note === RESTORING) {
    throw new MigrationError('A restore into this database did not come to its end: run npm run restore again.')
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
  const logger = new Logger(() => () => undefined) // its failures reject; its notes are of no use here
  try {
    await runMigrations({ pgPool: pool, logger })
  } finally {
    await pool.end()
  }
  if (failures[0]) throw failures[0]
}

function compare(
  files: Migration[],
  applied: { name: string; checksum: string; applied_at: Date }[],
  log: MigrateOptions['log'],
): Migration[] {
  const byName = new Map(files.map((file) => [file.name, file]))
  for (const { name, checksum, applied_at } of applied) {
    const file = byName.get(name)
    if (!file) log?.(`migrate: ${name} was applied by a newer version and is not known to this one`)
    else if (file.checksum !== checksum) {
      throw new MigrationError(
        `${name} was changed after it was applied (${applied_at.toISOString()}): bring the file back as it was, ` +
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
    await client.query('insert into public.migration (name, checksum) values ($1, $2)', [name, checksum])
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
