import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { sized } from '../../../test/tier.ts'
import { eventually } from '../../../test/world.ts'
import { createClock } from '../../core/platform/clock.ts'
import { openPool, query } from '../../core/platform/db.ts'
import { createLog } from '../../core/platform/log.ts'
import { createScopes, type Scopes } from '../../core/platform/scope.ts'
import { writeIntents } from '../../delivery/deliveries.ts'
import type { Claimed } from '../../delivery/driver.ts'
import { claim, sweep } from '../../delivery/queue.ts'
import { changePause } from './pause.ts'
import { drivers } from '../../../test/drivers.ts'
import { subscribers } from '../../subscribers.ts'

// A pause races two concurrent workers. Each has its own connections.

let database: TestDatabase
let sql: pg.Client
let pools: pg.Pool[]
let one: Scopes
let two: Scopes
let api: Scopes
let workspace: string

beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  pools = [1, 2, 3].map(() => openPool(database.url, 4, (error) => console.error(error)))
  const parts = { events: { publish() {} }, clock: createClock(), log: createLog('silent'), subscribers }
  ;[one, two, api] = pools.map((pool) => createScopes({ ...parts, pool })) as [Scopes, Scopes, Scopes]
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await sql?.end()
  await database?.drop()
})

beforeEach(async () => {
  await sql.query('truncate delivery, post_media, post cascade')
  workspace = randomUUID()
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspace])
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at)
     values ($1, gen_random_uuid(), 'NET_PAGE', 'page', 'person', 'page', 'CONNECTED', now())`,
    [workspace],
  )
})

async function due(posts: number): Promise<void> {
  await sql.query(
    `with made as (
       insert into post (workspace_id, id, caption, status, scheduled_at)
       select $1, gen_random_uuid(), 'text ' || n, 'SCHEDULED', now() - interval '1 second'
       from generate_series(1, $2) n returning id, scheduled_at)
     insert into publication (workspace_id, id, post_id, account_id, position, due_at, next_at)
     select $1, gen_random_uuid(), m.id, a.id, 0, m.scheduled_at, m.scheduled_at
     from made m, social_account a where a.workspace_id = $1`,
    [workspace, posts],
  )
}

/** Does what the API does to change a pause, without the commit. The returned function commits. */
async function begin(paused: boolean, onResume: 'send' | 'draft' = 'send'): Promise<() => Promise<void>> {
  let commit = () => {}
  const committed = new Promise<void>((resolve) => (commit = resolve))
  let done: Promise<void> | undefined
  await new Promise<void>((resolve, reject) => {
    done = api.scope(workspace, { kind: 'system', name: 'test' }).transaction(async (tx) => {
      await changePause(tx, { paused, reason: null, onResume })
      await tx.run(query`update workspace set publishing_paused_at = case when ${paused} then app_now() end
        where id = ${tx.workspaceId}`)
      resolve()
      await committed
    })
    done.catch(reject)
  })
  return async () => {
    commit()
    await done
  }
}

const change = async (paused: boolean, onResume?: 'send' | 'draft') => (await begin(paused, onResume))()

const take = (worker: Scopes, slots = 100) => claim(worker, drivers, { slots: slots, filesUrl: '', timeScale: 1 })

const intend = (worker: Scopes, rows: Claimed[]) =>
  writeIntents(
    worker,
    rows.map(({ workspaceId, id, fence }) => ({
      workspaceId,
      id,
      fence,
      composed: 'x',
      sent: { text: 'x', media: [] },
      networkAt: null,
    })),
    1,
  )

/** Waits until a statement on deliveries waits for a lock. */
const lockWaits = () =>
  eventually(async () => {
    const { rowCount } = await sql.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%delivery%'`,
    )
    return rowCount === 1
  })

async function counts(): Promise<Record<string, number>> {
  const { rows } = await sql.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from publication where workspace_id = $1 group by 1',
    [workspace],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

test('while a pause commits, no worker claims a target and no sweep gives one a turn', async () => {
  await due(20)
  await sweep(one, drivers.schedule)
  await due(20)
  const commit = await begin(true)
  const during = [
    (await sweep(one, drivers.schedule)).started,
    (await sweep(two, drivers.schedule)).started,
    await take(one),
    await take(two),
  ]
  await commit()
  expect(during).toEqual([[], [], [], []])
  // And not afterwards.
  await sweep(two, drivers.schedule)
  expect([await take(one), await take(two)]).toEqual([[], []])
  expect(await counts()).toEqual({ PENDING: 40 })
})

test('targets that two workers held at the pause get no intent from either, not even one under way', async () => {
  await due(20)
  await sweep(one, drivers.schedule)
  const [first, second] = [await take(one, 10), await take(two, 10)]
  expect([first.length, second.length]).toEqual([10, 10])
  expect(await intend(one, first.slice(0, 5))).toEqual(Array.from({ length: 5 }, () => true))
  const commit = await begin(true)
  // The intent waits for the rows that the pause has locked, and then finds another fence.
  const waiting = intend(one, first.slice(5))
  await lockWaits()
  await commit()
  expect([...(await waiting), ...(await intend(two, second))]).toEqual(Array.from({ length: 15 }, () => false))
  expect(await counts()).toEqual({ SUBMITTING: 5, PENDING: 15 })
})

test('once a pause is answered, no more intents are written, whatever the order of events', async () => {
  const seen = new Set<number>()
  for (let round = 0; round < sized(10, 30) || (seen.size < 3 && round < 150); round += 1) {
    await due(12)
    let left = Infinity
    const working = [one, two].map(async (worker) => {
      for (let rounds = 0; rounds < left; rounds = left === Infinity ? 0 : rounds + 1) {
        await sweep(worker, drivers.schedule)
        for (const row of await take(worker, 2)) await intend(worker, [row])
      }
    })
    // A deliberate fixed delay: the pause comes at a different moment of their work each time, later on a slow machine.
    await new Promise((resolve) => setTimeout(resolve, (round * 7) % (45 + round)))
    await change(true)
    const answered = await counts()
    // The workers run a few more rounds.
    left = 3
    await Promise.all(working)
    const { SUBMITTING: intents = 0 } = await counts()
    expect(intents).toBe(answered['SUBMITTING'] ?? 0)
    seen.add(intents)
    await change(false)
    await sql.query('truncate delivery, post_media, post cascade')
  }
  // Otherwise there was no race.
  expect(seen.size).toBeGreaterThan(2)
})

test('resuming with send, no post waits for its turn until it is missed', async () => {
  await change(true)
  await due(20)
  await sql.query(`update post set scheduled_at = now() - interval '23 hours 57 minutes'`)
  await change(false)
  const { rows } = await sql.query<{ latest: number; turns: number }>(
    `select extract(epoch from max(t.next_at - p.scheduled_at))::float8 as latest, count(distinct t.next_at)::int as turns
     from publication t join post p on p.workspace_id = t.workspace_id and p.id = t.post_id`,
  )
  expect(rows[0]?.latest).toBe(24 * 3600 - 60)
  // One after the other, as long as there is time.
  expect(rows[0]?.turns).toBe(9)
})

test('resuming with send moves no post that is cancelled, rescheduled or published at the same moment', async () => {
  await change(true)
  await due(4)
  const { rows: posts } = await sql.query<{ id: string }>('select id from post order by id')
  const [cancelled, untouched, rescheduled, published] = posts.map(({ id }) => id)
  const person = await pools[0]!.connect()
  try {
    await person.query('begin')
    await person.query(`update post set status = 'DRAFT' where id = $1`, [cancelled])
    await person.query(`update delivery set due_at = null, next_at = null, fence = fence + 1 where post_id = $1`, [
      cancelled,
    ])
    await person.query(`update post set scheduled_at = now() - interval '1 hour' where id = $1`, [rescheduled])
    await person.query(`update post set status = 'PUBLISHING' where id = $1`, [published])
    await person.query(
      `update delivery set due_at = now(), next_at = now(), fence = fence + 1 where post_id in ($1, $2)`,
      [rescheduled, published],
    )
    const resumed = change(false)
    await lockWaits()
    await person.query('commit')
    await resumed
  } finally {
    await person.query('rollback')
    person.release()
  }
  const { rows } = await sql.query<{ id: string; when: string }>(
    `select post_id as id, case when next_at <= now() then 'now' when next_at is null then 'never' else 'later' end as "when"
     from delivery order by post_id`,
  )
  expect(rows).toEqual([
    { id: cancelled, when: 'never' },
    { id: untouched, when: 'later' },
    { id: rescheduled, when: 'now' },
    { id: published, when: 'now' },
  ])
})

test.each(['send', 'draft'] as const)(
  'resuming with %s while two workers sweep and claim, each post has one winner',
  async (onResume) => {
    for (let round = 0; round < sized(6, 15); round += 1) {
      await change(true)
      await due(6)
      let resumed = false
      const claimed: string[] = []
      const working = [one, two].map(async (worker) => {
        // Each worker completes three more rounds after the resume, however slow it is.
        for (let left = 3; left > 0;) {
          if (resumed) left -= 1
          await sweep(worker, drivers.schedule)
          for (const row of await take(worker)) if ((await intend(worker, [row]))[0]) claimed.push(row.subjectId)
        }
      })
      await change(false, onResume)
      resumed = true
      await Promise.all(working)
      const { rows } = await sql.query<{ status: string }>('select status from post')
      if (onResume === 'draft') {
        expect(rows).toEqual(Array.from({ length: 6 }, () => ({ status: 'DRAFT' })))
        expect(claimed).toEqual([])
      } else {
        // One goes out now, the others on the same account at intervals of 15 seconds.
        expect(claimed).toHaveLength(1)
        expect(rows.filter(({ status }) => status === 'SCHEDULED')).toHaveLength(5)
      }
      await sql.query('truncate delivery, post_media, post cascade')
    }
  },
)
