import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { drivers } from '../../test/drivers.ts'
import { useProduct } from '../../test/fixtures.ts'
import { eventually } from '../../test/world.ts'
import { createClock } from '../core/platform/clock.ts'
import { openPool } from '../core/platform/db.ts'
import { createLog } from '../core/platform/log.ts'
import { createScopes, type Scope } from '../core/platform/scope.ts'
import { subscribers } from '../subscribers.ts'
import { forEachPost } from './for-each-post.ts'
import { type PublisherParts, startPublisher } from './worker.ts'

const { database } = useProduct({ own: true })
let sql: pg.Client
let other: pg.Client

beforeAll(async () => {
  ;[sql, other] = [1, 2].map(() => new pg.Client({ connectionString: database.url })) as [pg.Client, pg.Client]
  await sql.connect()
  // Connections that were idle for long keep plans from when nothing was due.
  await sql.query(
    `do $$ begin execute format('alter database %I set plan_cache_mode = force_generic_plan', current_database()); end $$`,
  )
  await sql.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await other.connect()
})
afterAll(async () => {
  await sql?.end()
  await other?.end()
})

/** A workspace with posts that became due `ago` milliseconds ago. */
async function workspaceWith(posts: number, ago: number): Promise<string> {
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
    [workspace, posts, new Date(Date.now() - ago)],
  )
  return workspace
}

test('a post of a small workspace is among the first to start, although thousands of another one were due just before', async () => {
  // No calls to a network are granted, so started deliveries stay in their state.
  await other.query('begin; lock table network_user')
  try {
    await sql.query('begin')
    await workspaceWith(3000, 2000)
    const small = await workspaceWith(1, 1000)
    await sql.query('commit')
    const begun = await eventually(async () => {
      const { rows } = await sql.query<{ count: number; small: boolean }>(
        `select count(*)::int as count, bool_or(workspace_id = $1) as small from publication where state = 'PREPARING'`,
        [small],
      )
      return rows[0]?.count ? rows[0] : undefined
    })
    expect(begun).toEqual({ count: 100, small: true })
  } finally {
    await other.query('rollback')
  }
})

/** A publisher that claims nothing, and watches by `watch` every 10 milliseconds. */
function watchingPublisher(watch: () => Promise<void>) {
  const pool = openPool(database.url, 2, () => undefined)
  const parts = { clock: createClock(), log: createLog('silent'), subscribers }
  const events = { publish() {}, subscribeAll: () => () => {} }
  const publisher = startPublisher({
    ...parts,
    events,
    scopes: createScopes({ ...parts, events, pool }),
    drivers: { ...drivers, schedule: { ...drivers.schedule, watch } },
    settings: { timeScale: 6000 },
    mayClaim: () => false,
  } as unknown as PublisherParts)
  return { publisher, pool }
}

test('watches do not overlap, and a stop waits for the running one', async () => {
  let begun = 0
  let end = () => {}
  const watched = new Promise<void>((resolve) => (end = resolve))
  const timers = vi.spyOn(globalThis, 'setInterval')
  const { publisher, pool } = watchingPublisher(() => {
    begun += 1
    return watched
  })
  /** More round trips than a watch or a stop makes. */
  const manyTrips = async () => {
    for (let trip = 0; trip < 50; trip += 1) await pool.query('select')
  }
  try {
    await eventually(async () => begun > 0)
    const [tick] = timers.mock.calls.find(([, every]) => every === 10)!
    for (let turn = 0; turn < 5; turn += 1) tick()
    await manyTrips()
    expect(begun).toBe(1)
    const order: string[] = []
    const stopping = publisher.stop().then(() => order.push('stopped'))
    await manyTrips()
    order.push('ended')
    end()
    await stopping
    expect(order).toEqual(['ended', 'stopped'])
  } finally {
    end()
    timers.mockRestore()
    await publisher.stop()
    await pool.end()
  }
})

test('a stop waits 30 seconds for a watch that does not end', async () => {
  let begun = false
  let end = () => {}
  const watched = new Promise<void>((resolve) => (end = resolve))
  const { publisher, pool } = watchingPublisher(() => {
    begun = true
    return watched
  })
  const later = globalThis.setTimeout
  const timers = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((work: () => void, wait?: number) => later(work, wait === 30_000 ? 100 : wait))
  try {
    await eventually(async () => begun)
    await publisher.stop()
    expect(timers).toHaveBeenCalledWith(expect.any(Function), 30_000)
  } finally {
    end()
    timers.mockRestore()
    await pool.end()
  }
})

test('posts are handled until the process stops, despite a failure with one', async () => {
  const handled: string[] = []
  const parts = {
    scopes: { scope: () => null as unknown as Scope },
    log: createLog('silent'),
    isStopped: () => handled.length === 2,
  }
  const posts = ['a', 'b', 'c'].map((postId) => ({ workspaceId: 'w', postId }))
  const allSucceeded = await forEachPost(parts, posts, async (_scope, { postId }) => {
    handled.push(postId)
    if (postId === 'a') throw new Error('failed')
  })
  expect([handled, allSucceeded]).toEqual([['a', 'b'], false])
})
