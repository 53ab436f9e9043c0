import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { asPerson, eventually, newPerson } from '../../../test/world.ts'
import type { Problem } from './endpoint.ts'

// A claim on an Idempotency-Key ends with the process that made it.

let database: TestDatabase
let product: Running
let sql: pg.Client
let dataDir: string

beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  product = await startProduct({ databaseUrl: database.url, dataDir })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

test('a key is refused while the process that claimed it lives, and is free as soon as that process is killed', async () => {
  const ann = await newPerson(product.url)
  const key = { 'idempotency-key': randomUUID() }
  const body = { caption: 'Once' }
  // A request that writes a post waits for this row after it has claimed the key.
  await sql.query('begin')
  await sql.query('select from workspace_usage where workspace_id = $1 for update', [ann.workspaceId])
  await sql.query('select from workspace where id = $1 for update', [ann.workspaceId])
  const hanging = ann.call('POST', '/posts', body, key).catch(() => undefined)
  await eventually(async () => (await sql.query('select from idempotency_key')).rowCount === 1)
  const beside = await ann.call<Problem>('POST', '/posts', body, key)
  expect([beside.status, beside.body.code]).toEqual([409, 'idempotency_in_progress'])

  await product.kill()
  await hanging
  await sql.query('rollback')
  product = await startProduct({ databaseUrl: database.url, dataDir })
  const again = asPerson(product.url, ann.session)
  expect((await again.call('POST', '/posts', body, key)).status).toBe(201)
  expect((await again.must<{ data: object[] }>('GET', '/posts')).data).toHaveLength(1)
})
