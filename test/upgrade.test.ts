import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backup, restore } from '../src/core/platform/backup/backup.ts'
import { migrate } from '../src/core/platform/migrate.ts'
import { dumpSchema } from '../src/core/platform/schema.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import type { Session } from '../src/team/identity/api.ts'
import { emptyDatabase, freshDatabase, type TestDatabase } from './database.ts'
import { type Answers, ENV, FIXTURE, MIGRATIONS, postsOf } from './fixtures/before.ts'
import { startProduct } from './product.ts'
import { long } from './tier.ts'
import { asPerson, call, PASSWORD } from './world.ts'

// A filled database of the previous version (test/fixtures/README.md) keeps every row in this version.

let folder: string
let older: string
let file: string
let answers: Answers
const databases: TestDatabase[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  await unpack(FIXTURE, folder)
  older = join(folder, 'migrations')
  file = join(folder, 'backup.tar')
  answers = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8')) as Answers
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true, force: true })
})

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

/** Restores the database of the previous version. */
async function filled(): Promise<string> {
  const url = await database()
  await restore({ url, file, mediaDir: join(folder, 'media'), migrations: older })
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

/** Returns every row of these tables as text, with these columns. */
async function rowsOf(url: string, tables: Map<string, string[]>): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
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

/** Returns the columns of each table, without those that the database computes. */
async function tablesOf(url: string): Promise<Map<string, string[]>> {
  const rows = await query<{ name: string; columns: string[] }>(
    url,
    `select c.oid::regclass::text as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = ''
      where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind = 'r'
        and c.relname not in ('migration', 'migrations') group by 1`,
  )
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

/** Returns the names of all constraints, also of those that the dump leaves to the columns. */
const constraintsOf = (url: string) =>
  query(
    url,
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
  )

test('a filled database of the previous version keeps every row when it is migrated, and both versions accept it', async () => {
  const [url, fresh] = [await filled(), await database(freshDatabase)]
  const tables = await tablesOf(url)
  const before = await rowsOf(url, tables)
  expect(before['delivery']?.length).toBeGreaterThan(5)
  await migrate(url, MIGRATIONS)
  expect(await rowsOf(url, tables)).toEqual(before)
  expect(await dumpSchema(url)).toBe(await dumpSchema(fresh))
  expect(await constraintsOf(url)).toEqual(await constraintsOf(fresh))
  expect(await migrate(url, MIGRATIONS)).toEqual([])
  expect(await migrate(url, older)).toEqual([])
  expect(await migrate(url, MIGRATIONS)).toEqual([])
})

test('the product starts on the migrated database and shows the posts', async () => {
  const url = await filled()
  await migrate(url, MIGRATIONS)
  await query(url, 'update app_clock set shift = $1::timestamptz - now()', [answers.at])
  const product = await startProduct({ databaseUrl: url, dataDir: folder, env: ENV })
  try {
    for (const { email, posts } of answers.people) {
      const { body } = await call<Session>(product.url, 'POST', '/api/v1/auth/login', { email, password: PASSWORD })
      const person = asPerson(product.url, body)
      expect(posts.length).toBeGreaterThan(0)
      expect(await postsOf(person)).toEqual(posts)
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

test('this version restores a backup of the previous one', async () => {
  const [older, present] = [await filled(), await database()]
  const tables = await tablesOf(older)
  await restore({ url: present, file, mediaDir: join(folder, 'media-again'), migrations: MIGRATIONS })
  expect(await rowsOf(present, tables)).toEqual(await rowsOf(older, tables))
})

// Once migrated, it is a database like any other, whose backup has its own tests.
test.runIf(long)('this version restores a backup of the migrated database', async () => {
  const [older, again] = [await filled(), await database()]
  const tables = await tablesOf(older)
  const before = await rowsOf(older, tables)
  const mediaDir = join(folder, 'media-later')
  await migrate(older, MIGRATIONS)
  const later = join(folder, 'later.tar')
  await backup({ url: older, file: later, mediaDir })
  await restore({ url: again, file: later, mediaDir, migrations: MIGRATIONS })
  expect(await rowsOf(again, tables)).toEqual(before)
  expect(await dumpSchema(again)).toBe(await dumpSchema(older))
})

test('a database with only some of the replaced migrations is refused, and left unchanged', async () => {
  const url = await database()
  const last = (await readdir(older)).toSorted().at(-2)
  await migrate(url, older, { upTo: last })
  const before = await query(url, 'select * from migration order by name')
  await expect(migrate(url, MIGRATIONS)).rejects.toThrow(/Start the version that ends with 0072_deliveries\.sql once/)
  expect(await query(url, 'select * from migration order by name')).toEqual(before)
  await migrate(url, older)
  await migrate(url, MIGRATIONS)
})
