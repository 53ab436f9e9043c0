import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { asPerson, eventually, newPerson, type Problem } from '../../../test/world.ts'

const LIMIT = 40
const env = {
  REQUESTS_PER_MINUTE: String(LIMIT),
  JWT_SECRET: 'a secret of access tokens, long enough',
  JWT_REFRESH_SECRET: 'a secret of refresh tokens, long enough',
  ENCRYPTION_KEY: 'c0'.repeat(32),
}
let database: TestDatabase
let processes: Running[]
let sql: pg.Client

beforeAll(async () => {
  database = await freshDatabase()
  const first = await startProduct({ databaseUrl: database.url, env })
  processes = [first, await startProduct({ databaseUrl: database.url, env })]
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})

afterAll(async () => {
  await sql?.end()
  for (const each of processes ?? []) await each.stop()
  await database?.drop()
})

const [first, second] = [() => processes[0]!.url, () => processes[1]!.url]

test('across all processes, a person gets at most the limit of requests through per minute and learns when to retry', async () => {
  const ann = await newPerson(first())
  const there = asPerson(second(), ann.session)
  const answers = await Promise.all(
    Array.from({ length: LIMIT * 3 }, (_, i) => (i % 2 === 0 ? ann : there).call<Problem>('GET', '/posts')),
  )
  const through = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(through.length).toBeLessThanOrEqual(LIMIT)
  // The other process may leave a twentieth of the limit unused.
  expect(through.length).toBeGreaterThanOrEqual(LIMIT - LIMIT / 20)
  for (const { status, body, headers } of refused) {
    expect([status, body.code]).toEqual([429, 'rate_limited'])
    const wait = Number(headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(headers.get('ratelimit')).toBe(`"requests";r=0;t=${wait}`)
  }
  expect(through[0]?.headers.get('ratelimit-policy')).toBe(`"requests";q=${LIMIT};w=60`)
  const left = through.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]))
  expect(Math.max(...left)).toBeLessThan(LIMIT)
  expect(Math.min(...left)).toBeGreaterThanOrEqual(0)
})

test('each person has their own limit', async () => {
  const [ann, bea] = [await newPerson(first()), await newPerson(first(), 'Bea')]
  for (let i = 0; i < LIMIT + 1; i += 1) await ann.call('GET', '/posts')
  expect((await ann.call('GET', '/posts')).status).toBe(429)
  expect((await bea.call('GET', '/posts')).status).toBe(200)
})

test('a refused person passes again in the next minute', async () => {
  const ann = await newPerson(first())
  for (let i = 0; i < LIMIT + 1; i += 1) await ann.call('GET', '/posts')
  expect((await ann.call('GET', '/posts')).status).toBe(429)
  await sql.query(`update app_clock set shift = shift + interval '61 seconds'`)
  const answer = await eventually(async () => {
    const { status } = await ann.call('GET', '/posts')
    return status !== 429 && status
  })
  expect(answer).toBe(200)
})
