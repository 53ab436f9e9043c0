import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import pg from 'pg'
import * as copy from 'pg-copy-streams'
import { type Extract, extract, type Pack, pack } from 'tar-stream'
import * as z from 'zod'
import { codeOf } from '../db.ts'
import { migrate, presentFiles, readMigrations, RESTORING } from '../migrate.ts'

/** An error that stops a backup or a restore, with a message for its user. */
export class BackupError extends Error {
  override name = 'BackupError'
}

export interface Summary {
  tables: number
  rows: number
  files: number
}

interface Work {
  /** A direct connection with an account that row level security does not limit, such as the owner of a cluster. */
  url: string
  /** The archive, gzipped if its name ends with `.gz` or `.tgz`. */
  file: string
  /** The folder of the media files. */
  mediaDir: string
  log?: (line: string) => void
}

const Table = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.string()),
  partitions: z.array(z.object({ name: z.string(), bound: z.string() })),
})
type Table = z.infer<typeof Table>

const Manifest = z.object({
  format: z.literal('parley backup 1'),
  at: z.string(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(Table),
})

/** The last file of a whole archive. A table's hash is the sum of its rows' hashes. */
const Proof = z.object({
  tables: z.record(z.string(), z.object({ rows: z.number(), hash: z.string() })),
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), last: z.string() })),
  files: z.number(),
})

// Includes the jobs of the queue, which belong to the state that caused them. Migrating writes both tables of
// migrations.
const TABLES = `
select n.nspname as schema, c.relname as name,
  (select jsonb_agg(a.attname order by a.attnum) from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
  (select coalesce(jsonb_agg(jsonb_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid)) order by p.relname), '[]')
    from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid and p.relispartition) as partitions
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and not c.relispartition
  and (n.nspname, c.relname) not in (('public', 'migration'), ('graphile_worker', 'migrations'))
order by 1, 2`

const PART = 4 * 1024 * 1024
/** The mode of the files in the archive, which contain people's data. */
const MODE = 0o600

/** A file of an archive. Read it to its end before the next one. */
type Entry = Extract extends AsyncIterable<infer E> ? E : never

/**
 * Writes a snapshot of every table and all media files into one archive, which gets its name only when it is whole and
 * on the disk. The product may keep running. The archive contains no secrets. Throws BackupError when the file exists,
 * and the server's error when the account may not see every row.
 */
export async function backup({ url, file, mediaDir, log }: Work): Promise<Summary> {
  if (existsSync(file)) throw new BackupError(`${file} already exists: choose another name, or remove it`)
  const draft = `${file}.part`
  const client = await connect(url)
  const tar = pack()
  const out = createWriteStream(draft, { mode: 0o600 })
  try {
    const [summary] = await Promise.all([
      writeArchive(client, tar, mediaDir, log),
      isZipped(file) ? pipeline(tar, createGzip({ level: 1 }), out) : pipeline(tar, out),
    ])
    await publish(draft, file)
    return summary
  } catch (error) {
    tar.destroy()
    out.destroy()
    await rm(draft, { force: true })
    throw error
  } finally {
    await client.end()
  }
}

async function writeArchive(client: pg.Client, tar: Pack, mediaDir: string, log: Work['log']): Promise<Summary> {
  await client.query('begin isolation level repeatable read read only')
  await prepareSession(client)
  const tables = z.array(Table).parse((await client.query(TABLES)).rows)
  const migrations = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from public.migration order by name',
  )
  const manifest = { format: 'parley backup 1', at: new Date().toISOString(), migrations: migrations.rows, tables }
  await writeJson(tar, 'manifest.json', manifest)
  const proof: z.infer<typeof Proof> = { tables: {}, sequences: [], files: 0 }
  for (const table of tables) {
    proof.tables[keyOf(table)] = await hashOf(client, table)
    let part = 0
    const rows = client.query(copy.to(`copy (select ${columnsOf(table)} from ${nameOf(table)}) to stdout`))
    for await (const content of inParts(rows)) {
      await writeWhole(tar, `tables/${keyOf(table)}/${String(++part).padStart(6, '0')}.copy`, content)
    }
    log?.(`backup: ${keyOf(table)} ${proof.tables[keyOf(table)]?.rows} rows`)
  }
  const sequences = await client.query<{ schema: string; name: string; last: string }>(
    `select schemaname as schema, sequencename as name, last_value::text as last from pg_sequences
      where schemaname in ('public', 'graphile_worker') and last_value is not null order by 1, 2`,
  )
  proof.sequences = sequences.rows
  await client.query('commit')
  proof.files = await writeMedia(tar, mediaDir, log)
  await writeJson(tar, 'end.json', proof)
  tar.finalize()
  return summaryOf(proof)
}

/**
 * Reads the files after the rows that name them. A file added meanwhile does no harm, and a file removed meanwhile had
 * no row.
 */
async function writeMedia(tar: Pack, mediaDir: string, log: Work['log']): Promise<number> {
  if (!existsSync(mediaDir)) return 0
  let files = 0
  for (const entry of await readdir(mediaDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.part')) continue
    const path = join(entry.parentPath, entry.name)
    let handle
    try {
      handle = await open(path)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      log?.(`backup: ${path} was removed meanwhile`)
      continue
    }
    try {
      const { size } = await handle.stat()
      const name = `media/${relative(mediaDir, path).split(sep).join('/')}`
      await pipeline(handle.createReadStream({ autoClose: false }), tar.entry({ name, size, mode: MODE }))
      files += 1
    } finally {
      await handle.close()
    }
  }
  return files
}

/**
 * Fills an empty database and the media folder from an archive. It makes the tables as they were at the backup, loads
 * them in one transaction, compares every table's rows with the archive, runs the statement `closing`, and migrates the
 * tables to the present version. A killed restore can be started again; until then, the product does not start on its
 * database. Throws BackupError when the database is not empty, or when the archive is incomplete or not of this
 * product.
 */
export async function restore({
  url,
  file,
  mediaDir,
  migrations,
  closing,
  log,
}: Work & { migrations: string; closing?: string }): Promise<Summary> {
  const client = await connect(url)
  const archive = extract()
  const entries = entriesOf(archive)
  const source = createReadStream(file)
  const reading = isZipped(file) ? pipeline(source, createGunzip(), archive) : pipeline(source, archive)
  // Awaited only after a failure: nothing reads on after the last entry, and closing the archive ends its source early.
  const failure = reading.then(
    () => undefined,
    (error: unknown) => error,
  )
  try {
    const first = await entries.next()
    if (first.done || first.value.header.name !== 'manifest.json') {
      throw new BackupError(`${file} is not a backup of Parley`)
    }
    const manifest = Manifest.parse(await readJson(first.value))
    const applied = presentFiles(manifest.migrations, await readMigrations(migrations))
    await makeEmpty(client)
    await migrate(url, migrations, { upTo: applied.at(-1)?.name ?? '', restoring: true })
    await compareMigrations(client, applied)
    await client.query('begin')
    await prepareSession(client)
    await client.query('set local session_replication_role = replica') // without triggers, tables may come in any order
    await makePartitions(client, manifest.tables)
    await client.query(`truncate ${manifest.tables.map(nameOf).join(', ')}`)
    const proof = await load(client, entries, manifest.tables, mediaDir, log)
    for (const table of manifest.tables) {
      const [wanted, found] = [proof.tables[keyOf(table)], await hashOf(client, table)]
      if (wanted?.rows !== found.rows || wanted.hash !== found.hash) {
        throw new BackupError(`${keyOf(table)} does not match the rows in the backup; the database is left empty`)
      }
    }
    for (const { schema, name, last } of proof.sequences) {
      await client.query('select setval($1::regclass, $2::bigint)', [quoted(schema, name), last])
    }
    if (closing) await client.query(closing)
    await client.query('comment on schema public is null')
    await client.query('commit')
    await client.query('analyze')
    const later = await migrate(url, migrations)
    for (const name of later) log?.(`restore: applied ${name}, which is newer than the backup`)
    return summaryOf(proof)
  } catch (error) {
    archive.destroy()
    // If the archive failed, an entry only says that it was destroyed; the source has the reason.
    const isEffect = error instanceof Error && error.message === 'Stream was destroyed'
    throw explain(isEffect ? await failure : error)
  } finally {
    archive.destroy()
    await client.end()
  }
}

/** Yields the files of an archive in order, so that several functions can take turns reading them. */
async function* entriesOf(archive: Extract): AsyncGenerator<Entry> {
  yield* archive
}

async function makeEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ note: string | null; tables: number }>(
    `select obj_description('public'::regnamespace, 'pg_namespace') as note,
      (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace) as tables`,
  )
  const unfinished = rows[0]?.note === RESTORING
  if (!unfinished && rows[0]?.tables) {
    throw new BackupError(
      'The database is not empty. Set DATA_DIR to a new directory, or DATABASE_URL to an empty database, and restore there.',
    )
  }
  await client.query('begin')
  if (unfinished) {
    await client.query(`
      drop schema if exists graphile_worker cascade;
      drop schema public cascade;
      create schema public;
      alter schema public owner to pg_database_owner;
      grant usage on schema public to public`)
  }
  await client.query(`comment on schema public is '${RESTORING}'`)
  await client.query('commit')
}

async function compareMigrations(client: pg.Client, applied: { name: string; checksum: string }[]): Promise<void> {
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from public.migration')
  const known = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  const foreign = applied.find(({ name, checksum }) => known.get(name) !== checksum)
  if (foreign || known.size !== applied.length) {
    throw new BackupError(
      `The backup was made by another line of versions (${foreign?.name ?? 'it lacks a migration'}): ` +
        'restore it with the version that made it, or a newer one.',
    )
  }
}

async function makePartitions(client: pg.Client, tables: Table[]): Promise<void> {
  for (const table of tables) {
    for (const { name, bound } of table.partitions) {
      await client.query(
        `create table if not exists ${quoted(table.schema, name)} partition of ${nameOf(table)} ${bound}`,
      )
    }
  }
}

async function load(
  client: pg.Client,
  entries: AsyncGenerator<Entry>,
  tables: Table[],
  mediaDir: string,
  log: Work['log'],
): Promise<z.infer<typeof Proof>> {
  const known = new Map(tables.map((table) => [keyOf(table), table]))
  let files = 0
  for await (const entry of entries) {
    const { name, type } = entry.header
    const table = known.get(/^tables\/([^/]+)\/\d+\.copy$/.exec(name)?.[1] ?? '')
    if (type === 'directory') entry.resume()
    else if (type !== 'file') throw new BackupError(`The archive contains an entry that is not a file: ${name}`)
    else if (table) {
      await pipeline(entry, client.query(copy.from(`copy ${nameOf(table)} (${columnsOf(table)}) from stdin`)))
      log?.(`restore: ${name}`)
    } else if (/^media\/(?!.*\.\.)[\w./-]+$/.test(name)) {
      await writeFileWhole(join(mediaDir, name.slice('media/'.length)), entry)
      files += 1
    } else if (name === 'end.json') {
      const proof = Proof.parse(await readJson(entry))
      if (proof.files !== files) throw new BackupError(`The archive has ${files} of ${proof.files} media files`)
      return proof
    } else throw new BackupError(`The archive contains a file that does not belong to a backup: ${name}`)
  }
  throw new BackupError('The archive is truncated: its last file is missing')
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'parley backup' })
  client.on('error', () => undefined) // the running statement then rejects with it
  await client.connect()
  return client
}

/** Makes rows read as the same text everywhere, removes the time limit, and turns hidden rows into an error. */
async function prepareSession(client: pg.Client): Promise<void> {
  await client.query(`
    set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
    set local extra_float_digits = 1; set local bytea_output = 'hex'`)
}

async function hashOf(client: pg.Client, table: Table): Promise<{ rows: number; hash: string }> {
  const { rows } = await client.query<{ rows: string; hash: string }>(
    `select count(*)::text as rows, coalesce(sum(hashtextextended(row(${columnsOf(table)})::text, 0)), 0)::text as hash
      from ${nameOf(table)}`,
  )
  return { rows: Number(rows[0]?.rows), hash: rows[0]?.hash ?? '' }
}

/**
 * Cuts a stream of rows into parts of some megabytes, each of whole rows. COPY writes a line break inside a row as two
 * characters.
 */
async function* inParts(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let part: Buffer[] = []
  let size = 0
  for await (const chunk of rows) {
    part.push(chunk)
    size += chunk.length
    const end = size < PART ? 0 : chunk.lastIndexOf('\n') + 1
    if (end === 0) continue
    part[part.length - 1] = chunk.subarray(0, end)
    yield Buffer.concat(part)
    part = [chunk.subarray(end)]
    size = chunk.length - end
  }
  if (size > 0) yield Buffer.concat(part)
}

const writeWhole = (tar: Pack, name: string, content: Buffer): Promise<void> =>
  new Promise((done, fail) => {
    tar.entry({ name, mode: MODE }, content, (error) => (error ? fail(error) : done()))
  })

const writeJson = (tar: Pack, name: string, value: unknown) =>
  writeWhole(tar, name, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`))

const readJson = async (entry: Entry): Promise<unknown> => JSON.parse((await buffer(entry)).toString())

/** Turns the errors of tar-stream and zlib about an unreadable archive into messages for a person. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (/unexpected end of (data|file)/i.test(error.message)) return new BackupError('The archive is truncated')
  const isDamaged =
    /^Invalid (tar )?header|^Header exceeds/.test(error.message) || String(codeOf(error)).startsWith('Z_')
  return isDamaged ? new BackupError('The archive is damaged') : error
}

async function writeFileWhole(path: string, content: Entry): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(content, createWriteStream(`${path}.part`, { mode: 0o600 }))
  await publish(`${path}.part`, path)
}

/** Flushes a finished file to the disk and renames it to its final name. */
async function publish(draft: string, path: string): Promise<void> {
  const handle = await open(draft, 'r+')
  await handle.sync()
  await handle.close()
  await rename(draft, path)
}

function summaryOf(proof: z.infer<typeof Proof>): Summary {
  const tables = Object.values(proof.tables)
  return { tables: tables.length, rows: tables.reduce((sum, { rows }) => sum + rows, 0), files: proof.files }
}

const isZipped = (file: string) => /\.t?gz$/.test(file)
const keyOf = ({ schema, name }: Table) => `${schema}.${name}`
const quoted = (...names: string[]) => names.map((name) => pg.escapeIdentifier(name)).join('.')
const nameOf = ({ schema, name }: Table) => quoted(schema, name)
const columnsOf = ({ columns }: Table) => columns.map((column) => pg.escapeIdentifier(column)).join(', ')
