import { afterAll, beforeAll, expect, test } from 'vitest'
import pg from 'pg'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { unavailable } from './db.ts'
import { createLog } from './log.ts'

// Besides its message, a database error contains written values. No log contains them.

let database: TestDatabase
let sql: pg.Client
beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query('create table t (a text unique, b int check (b < 5))')
  await sql.query(`insert into t values ('secret word', 1)`)
})
afterAll(async () => {
  await sql?.end()
  await database?.drop()
})

test.each([
  ['broken JSON', 'select $1::text::jsonb', ['{"text": "secret word"']],
  ['a doubled value', 'insert into t (a) values ($1)', ['secret word']],
  ['a value that is not allowed', 'insert into t values ($1, 7)', ['another secret word']],
  ['a value of another type', 'select $1::text::int', ['secret word']],
  ['a value of another type in two lines', 'select $1::text::int', ['a "secret" word\nand one more secret word']],
])('the log of %s shows the error but not the value', async (_, text, values) => {
  let logged = ''
  const log = createLog('info', { write: (line) => void (logged += line) })
  const error: unknown = await sql.query(text, values).catch((thrown: unknown) => thrown)
  log.warn({ err: error }, 'it failed')
  log.warn({ err: unavailable('It is away.', error) }, 'it failed')
  log.warn({ err: new AggregateError([error], 'both failed') }, 'it failed')
  expect(logged).toContain((error as pg.DatabaseError).code)
  expect(logged).not.toContain('secret')
})

test.each([
  ['/app/reports/token?a=1', '/app/reports/[secret]'],
  ['/api/v1/reports/token', '/api/v1/reports/[secret]'],
  ['/reports/token', '/reports/[secret]'],
  ['/api/v1/review/token/comments', '/api/v1/review/[secret]/comments'],
  ['/api/v1/analytics/reports/some-id', '/api/v1/analytics/reports/some-id'],
])('the address %s is logged as %s', (url, told) => {
  let logged = ''
  createLog('info', { write: (line) => void (logged += line) }).info({ req: { method: 'GET', url } })
  expect(JSON.parse(logged)).toMatchObject({ req: { url: told } })
})
