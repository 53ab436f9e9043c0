import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../../test/database.ts'
import { migrate } from '../../core/platform/migrate.ts'

// What migration 0059 makes of links to undo that were there before it: none of them may lead back to what a thief had put there.

const MIGRATIONS = join(import.meta.dirname, '../../../migrations')
const BEFORE = '0059'
let database: TestDatabase
let sql: pg.Client
let directory: string

beforeAll(async () => {
  database = await emptyDatabase()
  directory = await mkdtemp(join(tmpdir(), 'parley-migrations-'))
  const files = (await readdir(MIGRATIONS)).filter((name) => /^\d{4}_/.test(name))
  for (const name of files) if (name < BEFORE) await copyFile(join(MIGRATIONS, name), join(directory, name))
  await migrate(database.url, directory)
  for (const name of files) await copyFile(join(MIGRATIONS, name), join(directory, name))
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})

afterAll(async () => {
  await sql?.end()
  await database?.drop()
  await rm(directory, { recursive: true })
})

async function person(): Promise<string> {
  const id = randomUUID()
  await sql.query(`insert into app_user (id, email, name) values ($1, $2, 'Ann')`, [id, `${id}@example.test`])
  return id
}

/** A link that was sent so many hours after the first change, with what was there before. */
async function link(user: string, change: string, hours: number, former: string | null): Promise<string> {
  const hash = randomUUID()
  await sql.query(
    `insert into credential_undo (token_hash, user_id, change, former, created_at, expires_at)
     values ($1, $2, $3, $4, '2026-06-01'::timestamptz + make_interval(hours => $5),
       '2026-06-08'::timestamptz + make_interval(hours => $5))`,
    [hash, user, change, former, hours],
  )
  return hash
}

test('a link from after a change of the address undoes nothing; none but the oldest of its kind leads back', async () => {
  const [moved, twice, alone] = [await person(), await person(), await person()]
  const links = {
    // To the address that the owner had: it stays as it is.
    address: await link(moved, 'email', 0, 'owner@example.test'),
    // To an address that was itself new: the person who changed it got these.
    phoneAfter: await link(moved, 'phone', 1, '+491'),
    addressAfter: await link(moved, 'email', 2, 'thief@example.test'),
    phone: await link(twice, 'phone', 0, '+492'),
    phoneAgain: await link(twice, 'phone', 1, '+493'),
    addressAtLast: await link(twice, 'email', 2, 'twice@example.test'),
    // Somebody else's changes concern nobody.
    other: await link(alone, 'phone', 5, null),
  }
  expect(await migrate(database.url, directory)).toContain('0059_undo_restores_what_was_settled.sql')
  const { rows } = await sql.query<{ hash: string; former: string | null; works: boolean; id: string }>(
    `select token_hash as hash, former, expires_at > created_at as works, id from credential_undo`,
  )
  const found = Object.fromEntries(
    Object.entries(links).map(([name, hash]) => {
      const row = rows.find((one) => one.hash === hash)
      return [name, [row?.works, row?.former]]
    }),
  )
  expect(found).toEqual({
    address: [true, 'owner@example.test'],
    phoneAfter: [false, '+491'],
    addressAfter: [false, null],
    phone: [true, '+492'],
    phoneAgain: [true, null],
    addressAtLast: [true, 'twice@example.test'],
    other: [true, null],
  })
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
})
