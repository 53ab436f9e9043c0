import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Platform as NetworkName } from '../../src/networks/api.ts'
import { facts } from '../../src/networks/rules.ts'
import { createCallBudget } from '../../src/delivery/budget.ts'
import { openPool } from '../../src/core/platform/db.ts'
import { createScopes } from '../../src/core/platform/scope.ts'
import type { Post } from '../../src/publishing/posts/api.ts'
import { writeIntents } from '../../src/delivery/deliveries.ts'
import { settleLive } from '../../src/delivery/settle.ts'
import { claim, othersOn, postpone, sweep } from '../../src/delivery/queue.ts'
import { deliver, type WorkerPorts } from '../../src/delivery/worker.ts'
import { drivers } from '../drivers.ts'
import { grant, openNetworks } from '../adapters.ts'
import { sized } from '../tier.ts'
import { addFault, call, connect, maxCallsInHour, newPerson, type Person, uploadPicture } from '../world.ts'
import { worked } from './simulation.ts'
import { openUniverse, type Universe } from './universe.ts'
import { subscribers } from '../../src/subscribers.ts'

// Keeps the networks' limits over hours of a clock that only the test moves, as the stand-ins count the calls.

/** The long run: PARLEY_LONG=1 npx vitest run test/simulation/limits */
const HOURS = Number(process.env['SIMULATED_HOURS'] ?? sized(2, 24))
const WORKERS = sized(3, 5)
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The calls of an hour, and those with which a post may begin: a tenth is kept for posts under way. */
const HOURLY = facts.NET_PAGE.callsPerHour ?? 0
const BUDGET = HOURLY * 0.9

let universe: Universe
let pools: pg.Pool[]

beforeAll(async () => {
  universe = await openUniverse()
  const { connectionString = '' } = universe.pool.options
  pools = Array.from({ length: WORKERS }, () => openPool(connectionString, 2, () => undefined))
})
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await universe?.close()
})

const actor = { kind: 'system', name: 'publisher' } as const

/** Starts a worker. The returned function processes all due deliveries, and returns the number of claimed rows. */
function startWorker(pool: pg.Pool): () => Promise<number> {
  const { services } = universe
  const scopes = createScopes({ ...services, pool, subscribers })
  const ports: WorkerPorts = {
    ...services,
    drivers,
    budget: createCallBudget({ ...services, scopes }, HOURLY),
    random: Math.random,
    async intend(intent) {
      return (await writeIntents(scopes, [intent], 1))[0] ?? false
    },
    async settleLive(live) {
      return (await settleLive({ ...services, scopes, bulk: drivers.schedule.bulk }, [live]))[0] ?? false
    },
    othersOn: (row, ids) => othersOn(scopes, row, ids),
    postpone: ({ who: { app, userKey }, refused, until }) =>
      postpone(scopes, drivers, {
        networkUser: userKey,
        platforms: services.networks
          .all()
          .filter((each) => each.app === app)
          .map((each) => each.platform),
        refused,
        until,
        callsPerHour: HOURLY,
      }),
  }
  return async () => {
    await sweep(scopes, drivers.schedule)
    const rows = await claim(scopes, drivers, { slots: 20, filesUrl: services.settings.filesUrl(), timeScale: 1 })
    await Promise.all(rows.map((row) => deliver(scopes.scope(row.workspaceId, actor), ports, row)))
    return rows.length
  }
}

/** Runs the workers until nothing is due. */
async function workOff(workers: (() => Promise<number>)[]): Promise<void> {
  for (;;) {
    const done = await Promise.all(workers.map((work) => work()))
    if (done.every((rows) => rows === 0)) {
      const ready = await universe.sql.query('select from publication where turn is not null limit 1')
      if (ready.rowCount === 0) return
      // Turns only define an order: a turn some milliseconds ahead is claimed too, unless another worker has its post.
    }
  }
}

async function untilNext(least: number, most: number): Promise<void> {
  const { rows } = await universe.sql.query<{ next: number | null }>(
    `select extract(epoch from min(next_at) - app_now())::float8 * 1000 as next from publication
     where state in ('PENDING', 'PREPARING', 'SUBMITTING') and next_at is not null`,
  )
  await universe.advance(Math.ceil(Math.min(most, Math.max(least, rows[0]?.next ?? most))))
}

interface Ledger {
  users: { id: string; calls: number; maxInHour: number }[]
}
const callsIn = async () =>
  (await call<Ledger>(universe.sandboxUrl, 'GET', '/state')).body.users.reduce((sum, { calls }) => sum + calls, 0)

/** Inserts due posts of text alone, which need one call each. */
async function backlog(person: Person, posts: number): Promise<void> {
  await universe.sql.query(
    `with made as (
       insert into post (workspace_id, id, caption, status, scheduled_at)
       select $1::uuid, gen_random_uuid(), 'backlog ' || n || ' of ' || $1::uuid, 'SCHEDULED', app_now() - interval '1 second'
       from generate_series(1, $2) n returning id, scheduled_at)
     insert into publication (workspace_id, id, post_id, account_id, position, due_at, next_at)
     select $1::uuid, gen_random_uuid(), m.id, a.id, 0, m.scheduled_at, m.scheduled_at
     from made m cross join lateral (select id from social_account where workspace_id = $1::uuid order by md5(m.id::text || id::text)
       limit 1) a`,
    [person.workspaceId, posts],
  )
}

test(
  `${HOURS} hours of a backlog over three workspaces of one person: never more than 200 calls an hour, and few of them unused`,
  { timeout: HOURS * 60_000 },
  async () => {
    const people: Person[] = []
    for (const name of ['Ann', 'Bob', 'Cyd']) {
      const person = await newPerson(universe.url, name)
      await connect(person, 'NET_PAGE', 'u31000')
      people.push(person)
    }
    for (const person of people) await backlog(person, Math.ceil(((HOURS + 1) * HOURLY) / people.length))
    const began = universe.now()
    const before = await callsIn()
    const hourly: number[] = []
    let workers = pools.map((pool) => startWorker(pool))
    let restarts = 0
    for (let hour = 1; hour <= HOURS; hour += 1) {
      const end = began + hour * HOUR
      while (universe.now() < end) {
        await workOff(workers)
        await untilNext(sized(60, 20) * SECOND, end - universe.now())
      }
      hourly.push((await callsIn()) - before - hourly.reduce((sum, calls) => sum + calls, 0))
      workers = pools.map((pool) => startWorker(pool))
      restarts += workers.length
    }
    const { rows } = await universe.sql.query<{ state: string; count: number; tries: number }>(
      'select state, count(*)::int as count, max(tries)::int as tries from publication group by 1',
    )
    const most = await maxCallsInHour(universe.sandboxUrl)
    const used = hourly.reduce((sum, calls) => sum + calls, 0) / (HOURS * BUDGET)
    console.log(JSON.stringify({ hours: HOURS, workers: WORKERS, restarts, most, used, hourly, rows }))
    expect(most).toBeLessThanOrEqual(HOURLY)
    expect(used).toBeGreaterThanOrEqual(0.95)
    // The backlog lasted to the end, nothing failed, and waiting used no try.
    const counts = Object.fromEntries(rows.map(({ state, ...rest }) => [state, rest]))
    expect(Object.keys(counts).toSorted()).toEqual(['PENDING', 'PUBLISHED'])
    expect(counts).toMatchObject({ PENDING: { tries: 0 }, PUBLISHED: { tries: 1 } })
    await universe.sql.query('truncate delivery, post_media, post cascade')
  },
)

async function publish(person: Person, caption: string, targets: (string | undefined)[], media: string[] = []) {
  const { id } = await person.must<Post>('POST', '/posts', {
    caption,
    targets,
    media,
    platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
    action: 'publish',
  })
  return id
}

interface Target {
  state: string
  wait: string | null
  tries: number
  failures: number
  backoffs: number
  after: number | null
}

async function targetOf(post: string, platform: NetworkName): Promise<Target> {
  const { rows } = await universe.sql.query<Target>(
    `select t.state, wait_reason as wait, tries, failures, backoffs, extract(epoch from next_at - app_now())::float8 as after
     from publication t join social_account a on a.id = t.account_id where post_id = $1 and a.platform = $2`,
    [post, platform],
  )
  return rows[0] as Target
}

test('calls that others make in the name of a person slow us down at 75 % and stop us at 95 %', async () => {
  const person = await newPerson(universe.url, 'Dee')
  const [page] = await connect(person, 'NET_PAGE', 'u31001')
  const theirs = await grant(openNetworks(universe.sandboxUrl).NET_PAGE, 'u31001')
  const headers = { authorization: `Bearer ${theirs.accessToken}` }
  const others = async (calls: number) => {
    while (((await state()).calls ?? 0) < calls)
      await call(universe.sandboxUrl, 'GET', '/graph/v25.0/me?fields=id', undefined, headers)
  }
  const state = async () => {
    const { body } = await call<Ledger>(universe.sandboxUrl, 'GET', '/state')
    return body.users.find(({ id }) => id === theirs.userKey) ?? { calls: 0 }
  }
  const limits = async () => {
    const { rows } = await universe.sql.query<{ most: number | null; blocked: number | null }>(
      `select case when usage_limit_until > app_now() then usage_limit end as most,
         extract(epoch from blocked_until - app_now())::float8 as blocked
       from network_user u join social_account a on a.network_user = u.user_key where a.id = $1`,
      [page?.id],
    )
    return rows[0]
  }
  const workers = pools.map((pool) => startWorker(pool))
  const post = async (n: number) => {
    const id = await publish(person, `Beside others ${n}`, [page?.id])
    await workOff(workers)
    return id
  }
  await others(140)
  await post(1)
  expect(await limits()).toEqual({ most: null, blocked: null })
  await others(159)
  await post(2)
  // 160 of 200 calls are used, so four fifths of the last quarter are left.
  expect(await limits()).toEqual({ most: 160, blocked: null })
  await others(189)
  const last = await post(3)
  expect((await limits())?.blocked).toBe(300)
  const held = await post(4)
  expect([await targetOf(last, 'NET_PAGE'), await targetOf(held, 'NET_PAGE')]).toMatchObject([
    { state: 'PUBLISHED' },
    { state: 'PENDING', wait: 'limit', tries: 0, failures: 0, after: 300 },
  ])
  // Nothing is lost: the post goes out when the hour has passed.
  await universe.advance(HOUR + MINUTE)
  await workOff(workers)
  expect((await targetOf(held, 'NET_PAGE')).state).toBe('PUBLISHED')
})

test('429 of NET_VIDEO: waits double with jitter up to 15 minutes, use no try, and hold up no other target', async () => {
  const person = await newPerson(universe.url, 'Eve')
  const [clips] = await connect(person, 'NET_VIDEO', 'u31002')
  const [photos] = await connect(person, 'NET_PAGE', 'u31002')
  const { id: file } = await worked(universe, uploadPicture(person))
  const body = { data: {}, error: { code: 'rate_limit_exceeded', message: 'Slower' } }
  const match = { path: '/creator_info/query/' }
  await addFault(universe.sandboxUrl, { match, do: { status: 429, body }, times: 12 })
  const workers = pools.map((pool) => startWorker(pool))
  const post = await publish(person, 'Limited', [clips?.id, photos?.id], [file])
  const waits: number[] = []
  for (let round = 1; round <= 12; round += 1) {
    await workOff(workers)
    const target = await targetOf(post, 'NET_VIDEO')
    expect(target).toMatchObject({ state: 'PENDING', wait: 'limit', tries: 0, failures: 0, backoffs: round })
    const whole = Math.min(2 ** round, 900)
    expect(target.after).toBeGreaterThanOrEqual(whole / 2)
    expect(target.after).toBeLessThanOrEqual(whole)
    waits.push(target.after ?? 0)
    // The other target did not wait.
    if (round > 1) expect((await targetOf(post, 'NET_PAGE')).state).toBe('PUBLISHED')
    await universe.advance(Math.ceil((target.after ?? 0) * SECOND))
  }
  expect(waits.some((wait, i) => wait !== Math.min(2 ** (i + 1), 900))).toBe(true)
  await workOff(workers)
  await universe.advance(MINUTE)
  await workOff(workers)
  expect((await targetOf(post, 'NET_VIDEO')).state).toBe('PUBLISHED')
})
