import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backup, restore } from '../src/core/platform/backup/backup.ts'
import { migrate } from '../src/core/platform/migrate.ts'
import { dumpSchema } from '../src/core/platform/schema.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import type { Session } from '../src/team/identity/api.ts'
import { emptyDatabase, freshDatabase, type TestDatabase } from './database.ts'
import { type Answers, BEFORE, conversationsOf, ENV, MIGRATIONS, postsOf, REPLACED } from './fixtures/before.ts'
import { startProduct } from './product.ts'
import { long } from './tier.ts'
import { asPerson, call, PASSWORD } from './world.ts'

// A filled database of an older version (test/fixtures/README.md) keeps every row in this version.

interface Archive {
  migrations: string
  /** The backup. */
  file: string
  mediaDir: string
  answers: Answers
}

let folder: string
const databases: TestDatabase[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true, force: true })
})

async function open(path: string): Promise<Archive> {
  const into = await mkdtemp(join(folder, 'archive-'))
  await unpack(path, into)
  const answers = JSON.parse(await readFile(join(into, 'answers.json'), 'utf8')) as Answers
  return {
    migrations: join(into, 'migrations'),
    file: join(into, 'backup.tar'),
    mediaDir: join(into, 'media'),
    answers,
  }
}

async function unpack(archive: string, into: string): Promise<void> {
  const tar = extract()
  const reading = pipeline(createReadStream(archive), createGunzip(), tar)
  for await (const entry of tar) {
    const path = join(into, entry.header.name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, await buffer(entry))
  }
  await reading
}

async function database(make = emptyDatabase): Promise<string> {
  const made = await make()
  databases.push(made)
  return made.url
}

/** Restores the database of an older version. */
async function filled({ file, mediaDir, migrations }: Archive): Promise<string> {
  const url = await database()
  await restore({ url, file, mediaDir, migrations })
  return url
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** The rows by table, as text. */
type Rows = Record<string, string[]>

/** Returns every row of these tables as text, with these columns. */
async function rowsOf(url: string, tables: Map<string, string[]>): Promise<Rows> {
  const found: Rows = {}
  for (const [table, columns] of tables) {
    const fields = columns.map((column) => `'${column}', ${pg.escapeIdentifier(column)}`).join(', ')
    const rows = await query<{ row: string }>(
      url,
      `select jsonb_build_object(${fields})::text as row from ${table} order by 1`,
    )
    found[table] = rows.map(({ row }) => row)
  }
  return found
}

/** Returns the rows of each table that are missing afterwards. */
function missing(before: Rows, after: Rows): Rows {
  const gone: Rows = {}
  for (const [table, rows] of Object.entries(before)) {
    const left = [...(after[table] ?? [])]
    for (const row of rows) {
      const found = left.indexOf(row)
      if (found === -1) (gone[table] ??= []).push(row)
      else left.splice(found, 1)
    }
  }
  return gone
}

/** Columns that migrations drop on purpose, each with its reason. */
const DROPPED: Readonly<Record<string, readonly string[]>> = {}

/** Returns the columns of each table, without those that the database computes and those that are dropped on purpose. */
async function tablesOf(url: string): Promise<Map<string, string[]>> {
  const rows = await query<{ name: string; columns: string[] }>(
    url,
    `select c.oid::regclass::text as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = ''
      where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind = 'r'
        and c.relname not in ('migration', 'migrations') group by 1`,
  )
  return new Map(rows.map(({ name, columns }) => [name, columns.filter((column) => !DROPPED[name]?.includes(column))]))
}

/** Returns all constraints, also those that the dump leaves to the columns. A partition has those of its table. */
const constraintsOf = (url: string) =>
  query(
    url,
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace
        and not exists (select from pg_class t where t.oid = conrelid and t.relispartition) order by 1, 2`,
  )

describe.each([
  ['replaced migrations', REPLACED],
  ['the version before', BEFORE],
])('a filled database of %s', (_, path) => {
  let archive: Archive
  let url: string
  let tables: Map<string, string[]>
  let before: Rows
  let after: Rows

  beforeAll(async () => {
    archive = await open(path)
    url = await filled(archive)
    tables = await tablesOf(url)
    before = await rowsOf(url, tables)
    await migrate(url, MIGRATIONS)
    after = await rowsOf(url, tables)
  })

  test('keeps every row when it is migrated, and both versions accept it', async () => {
    const fresh = await database(freshDatabase)
    expect(before['delivery']?.length).toBeGreaterThan(5)
    expect(missing(before, after)).toEqual({})
    expect(await dumpSchema(url)).toBe(await dumpSchema(fresh))
    expect(await constraintsOf(url)).toEqual(await constraintsOf(fresh))
    expect(await migrate(url, MIGRATIONS)).toEqual([])
    expect(await migrate(url, archive.migrations)).toEqual([])
    expect(await migrate(url, MIGRATIONS)).toEqual([])
  })

  test('gives a partly published post the time at which it went live', async () => {
    const posts = await query(
      url,
      `select p.happens_at = (select max(t.published_at) from publication t where t.workspace_id = p.workspace_id and t.post_id = p.id)
        as is_live_time from post p where p.status = 'PARTIALLY_PUBLISHED'`,
    )
    expect(posts).not.toEqual([])
    expect(posts).toEqual(posts.map(() => ({ is_live_time: true })))
  })

  test('shows the posts and conversations when the product starts on it', async () => {
    const { answers, mediaDir } = archive
    await query(url, 'update app_clock set shift = $1::timestamptz - now()', [answers.at])
    const product = await startProduct({ databaseUrl: url, dataDir: dirname(mediaDir), env: ENV })
    try {
      for (const { email, posts, threads } of answers.people) {
        const { body } = await call<Session>(product.url, 'POST', '/api/v1/auth/login', { email, password: PASSWORD })
        const person = asPerson(product.url, body)
        expect(posts.length).toBeGreaterThan(0)
        expect(await postsOf(person)).toEqual(posts)
        if (threads) expect(await conversationsOf(person)).toEqual(threads)
        const { data: media } = await person.must<{ data: MediaFile[] }>('GET', '/media')
        for (const { storageUrl } of media) {
          const answer = await fetch(new URL(storageUrl!, product.url))
          expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
        }
      }
    } finally {
      await product.stop()
    }
  })

  test('is restored by this version from its backup', async () => {
    const present = await database()
    const mediaDir = join(folder, 'media-again')
    await restore({ url: present, file: archive.file, mediaDir, migrations: MIGRATIONS })
    expect(await rowsOf(present, tables)).toEqual(after)
  })

  // Once migrated, it is a database like any other, whose backup has its own tests.
  test.runIf(long)('is restored by this version from a backup of the migrated database', async () => {
    const [older, again] = [await filled(archive), await database()]
    const mediaDir = join(folder, 'media-later')
    await migrate(older, MIGRATIONS)
    const migrated = await rowsOf(older, await tablesOf(older))
    const later = join(await mkdtemp(join(folder, 'later-')), 'later.tar')
    await backup({ url: older, file: later, mediaDir })
    await restore({ url: again, file: later, mediaDir, migrations: MIGRATIONS })
    expect(await rowsOf(again, await tablesOf(older))).toEqual(migrated)
    expect(await dumpSchema(again)).toBe(await dumpSchema(older))
  })
})

test('the risks that an older version found in scheduled posts are not told as new ones', async () => {
  const url = await filled(await open(REPLACED))
  const found = ['no_target', 'same_text', 'token_ends'].map((code) => ({
    code,
    target: null,
    severity: code === 'no_target' ? 'error' : 'warning',
  }))
  await query(url, `update post set checks = $1 where status = 'SCHEDULED'`, [JSON.stringify(found)])
  await migrate(url, MIGRATIONS)
  const posts = await query(
    url,
    `select risk_told ->> 'at' = iso(scheduled_at) as is_same_time, risk_told -> 'findings' as findings
      from post where status = 'SCHEDULED' and deleted_at is null`,
  )
  expect(posts).not.toEqual([])
  const findings = ['no_target', 'token_ends'].map((code) => ({ code, target: null }))
  expect(posts).toEqual(posts.map(() => ({ is_same_time: true, findings })))
})

test('a database with only some of the replaced migrations is refused, and left unchanged', async () => {
  const { migrations } = await open(REPLACED)
  const url = await database()
  const last = (await readdir(migrations)).toSorted().at(-2)
  await migrate(url, migrations, { upTo: last })
  const before = await query(url, 'select * from migration order by name')
  await expect(migrate(url, MIGRATIONS)).rejects.toThrow(/Start the version that ends with 0072_deliveries\.sql once/)
  expect(await query(url, 'select * from migration order by name')).toEqual(before)
  await migrate(url, migrations)
  await migrate(url, MIGRATIONS)
})
