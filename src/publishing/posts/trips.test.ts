import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { tappedLine } from '../../../test/killable.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { connectPages, newPerson, type Person } from '../../../test/world.ts'
import type { Post } from './api.ts'

// Each trip to the database wakes two processes, which costs more than most statements (ADR 49).

let database: TestDatabase
let line: Awaited<ReturnType<typeof tappedLine>>
let product: Running
let ann: Person
let page: string
let trips = 0

beforeAll(async () => {
  database = await freshDatabase()
  line = await tappedLine(database.url, (packet) => {
    // Hints to other processes are sent together and name the workspace too.
    if (ann && packet.includes(ann.workspaceId) && !packet.includes('pg_notify')) trips += 1
  })
  product = await startProduct({ databaseUrl: line.url, env: { ROLE: 'api' } })
  ann = await newPerson(product.url)
  const [first, ...others] = await connectPages(ann)
  page = first!.id
  for (const other of others) await ann.must('DELETE', `/social-accounts/${other.id}`)
})
afterAll(async () => {
  await product.stop()
  await line.close()
  await database.drop()
})

const tripsOf = async (method: string, path: string, body: object, headers?: Record<string, string>) => {
  trips = 0
  const made = await ann.must<Post>(method, path, body, headers)
  return { trips, made }
}

test('a new post takes three trips: the gate, all reads, and its rows with the answer and the commit', async () => {
  expect((await tripsOf('POST', '/posts', { caption: 'In words', targets: [page] })).trips).toBe(3)
  expect((await tripsOf('POST', '/posts', { caption: 'By network', platforms: ['NET_PAGE'] })).trips).toBe(3)
  const now = { caption: 'At once', targets: [page], action: 'publish' }
  expect((await tripsOf('POST', '/posts', now)).trips).toBe(3)
})

test('an edit takes five trips: the gate, the locked post, all reads, its rows, and the commit with the answer', async () => {
  const { made } = await tripsOf('POST', '/posts', { caption: 'In words', targets: [page] })
  const edit = await tripsOf('PATCH', `/posts/${made.id}`, { caption: 'In other words' })
  expect(edit).toMatchObject({ trips: 5, made: { caption: 'In other words', version: made.version + 1 } })
  expect((await tripsOf('PATCH', `/posts/${made.id}`, { targets: [] })).trips).toBe(5)
})

test('with a key it takes three more: the claim, the rows with the result, and the answer', async () => {
  const body = { caption: 'Once', targets: [page] }
  const { trips: taken, made } = await tripsOf('POST', '/posts', body, { 'idempotency-key': 'once' })
  expect(taken).toBe(6)
  expect(await ann.must('POST', '/posts', body, { 'idempotency-key': 'once' })).toEqual(made)
})
