import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Product, startProduct } from '../../../test/product.ts'
import { eventually, newPerson, type Person } from '../../../test/world.ts'
import type { Generation, OptionsAnswer } from './api.ts'

// What happens to a running call of the model when its process is asked to stop.

let database: TestDatabase
let sql: pg.Client
let products: Product[] = []

beforeEach(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterEach(async () => {
  for (const product of products.splice(0)) await product.stop()
  await sql.end()
  await database.drop()
})

async function start(env: Record<string, string> = {}): Promise<Product> {
  const keys = { ENCRYPTION_KEY: '5a'.repeat(32), JWT_SECRET: 'a'.repeat(64), JWT_REFRESH_SECRET: 'b'.repeat(64) }
  const product = await startProduct({ databaseUrl: database.url, env: { ...keys, ...env } })
  products.push(product)
  return product
}

const behave = ({ url }: Product, json: object) =>
  fetch(`${url}/sandbox/ai/behaviour`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  })

const ask = (ann: Person) => ann.call<OptionsAnswer & Generation>('POST', '/ai/caption/generate', { topic: 'Rye' })

const running = () =>
  eventually(async () => (await sql.query("select from ai_generation where status = 'RUNNING'")).rowCount === 1)

async function costs() {
  const { rows } = await sql.query(`select (select count(*)::int from usage_hold) as holds,
    (select count(*)::int from credit_entry) as entries,
    (select sum(used)::int from workspace_usage where quota_id = 'ai_credits') as used`)
  return rows[0] as object
}

test('a call of 4 s that is running at SIGTERM is answered, and charged once', async () => {
  const product = await start()
  const ann = await newPerson(product.url)
  await behave(product, { delayMs: 4_000 })
  const answer = ask(ann)
  await running()
  const stopped = product.stop()
  products = []
  const { status, body } = await answer
  expect([status, body.options.length]).toEqual([200, 3])
  expect(await stopped).toBe(0)
  expect(await costs()).toEqual({ holds: 0, entries: 1, used: 1 })
})

test('a call that outlasts the grace period is answered with 202, finished by the next process and charged once', async () => {
  const product = await start({ TIME_SCALE: '20' })
  const ann = await newPerson(product.url)
  await behave(product, { delayMs: 600_000 })
  const answer = ask(ann)
  await running()
  const stopped = product.stop()
  products = []
  const { status, headers, body } = await answer
  expect([status, headers.get('location')]).toEqual([202, `/api/v1/ai/generations/${body.id}`])
  expect(await stopped).toBe(0)
  expect(await costs()).toEqual({ holds: 2, entries: 0, used: 0 })
  await start({ TIME_SCALE: '20' })
  await eventually(async () => {
    const { rows } = await sql.query<{ status: string }>('select status from ai_generation')
    return rows[0]?.status === 'SUCCEEDED'
  })
  expect(await costs()).toEqual({ holds: 0, entries: 1, used: 1 })
})
