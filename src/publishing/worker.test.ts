import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { type Running, startProduct } from '../../test/product.ts'
import { eventually } from '../../test/world.ts'

let database: TestDatabase
let product: Running
let sql: pg.Client

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({ databaseUrl: database.url })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
})

/** A workspace with so many posts that are due then. */
async function workspaceWith(posts: number, dueAt: number): Promise<string> {
  const workspace = randomUUID()
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspace])
  await sql.query(
    `with account as (
       insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
       values ($1::uuid, gen_random_uuid(), 'NET_PAGE', 'page-' || $1::text, 'person-' || $1::text, 'page', 'CONNECTED', now())
       returning id
     ), made as (
       insert into post (workspace_id, id, caption, status, scheduled_at)
       select $1::uuid, gen_random_uuid(), 'text ' || n, 'SCHEDULED', $3::timestamptz from generate_series(1, $2) n returning id
     )
     insert into publication (workspace_id, id, post_id, account_id, position, due_at, next_at)
     select $1::uuid, gen_random_uuid(), made.id, account.id, 0, $3::timestamptz, $3::timestamptz from made, account`,
    [workspace, posts, new Date(dueAt)],
  )
  return workspace
}

test('one post of a small workspace is among the first that are begun, though thousands of another one were due just before', async () => {
  const dueAt = Date.now() + 3_000
  await workspaceWith(3000, dueAt)
  const small = await workspaceWith(1, dueAt + 1)
  // Nobody gets leave to call a network, so that what was begun first keeps its place.
  await sql.query('begin; lock table network_user')
  try {
    const begun = () =>
      sql.query<{ count: number; small: boolean }>(
        `select count(*)::int as count, bool_or(workspace_id = $1) as small from publication where state = 'PREPARING'`,
        [small],
      )
    const { rows } = await eventually(async () => {
      const found = await begun()
      return (found.rows[0]?.count ?? 0) > 0 && found
    }, 20_000)
    expect(rows).toEqual([{ count: 100, small: true }])
  } finally {
    await sql.query('rollback')
  }
})
