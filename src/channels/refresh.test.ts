import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grant, openNetworks } from '../../test/adapters.ts'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { beside, type Running, startProduct, startSandbox } from '../../test/product.ts'
import {
  addFault,
  asPerson,
  call,
  connect,
  eventually,
  newPerson,
  untilStatus,
  uploadPicture,
} from '../../test/world.ts'
import { NetworkError, type Networks } from '../networks/network.ts'
import { createClock } from '../core/platform/clock.ts'
import { createCrypto } from '../core/platform/crypto.ts'
import { openPool } from '../core/platform/db.ts'
import { createLog } from '../core/platform/log.ts'
import { createScopes } from '../core/platform/scope.ts'
import type { Post } from '../publishing/posts/api.ts'
import { tokenPlace } from './accounts.ts'
import { refreshAccount, withToken } from './accounts-refresh.ts'
import { createCallBudget } from '../delivery/budget.ts'
import type { SocialAccount } from './api.ts'
import { subscribers } from '../subscribers.ts'

let database: TestDatabase
let sandbox: Running
let sql: pg.Client

beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  sandbox = await startSandbox({ env: { TIME_SCALE: '20' } })
})
afterAll(async () => {
  await sql?.end()
  await sandbox?.stop()
  await database?.drop()
})

const TOKENS = { path: '/v2/oauth/token/' }

async function asked(): Promise<number> {
  const { body } = await call<{ faults: { seen: number }[] }>(sandbox.url, 'GET', '/state')
  return body.faults.reduce((sum, { seen }) => sum + seen, 0)
}

/** Creates an account with tokens of a stand-in, and the functions that renew them. */
async function renewable(user: string, platform: 'NET_PAGE' | 'NET_VIDEO' = 'NET_VIDEO') {
  const all = openNetworks(sandbox.url)
  const networks: Networks = { get: () => all[platform], all: () => Object.values(all) }
  const crypto = createCrypto(randomBytes(32).toString('hex'))
  const granted = await grant(all[platform], user)
  const [workspaceId, accountId] = [randomUUID(), randomUUID()]
  type Column = 'access_token' | 'refresh_token' | 'user_token'
  const place = (column: Column) => tokenPlace(workspaceId, accountId, column)
  const sealed = (column: Column, token: string | null) => (token === null ? null : crypto.seal(token, place(column)))
  await sql.query(`insert into workspace (id, name, timezone) values ($1, 'w', 'UTC')`, [workspaceId])
  await sql.query(
    `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at,
       access_token, refresh_token, user_token) values ($1, $2, $7, $3, $4, 'clips', 'CONNECTED', now(), $5, $6, $8)`,
    [
      workspaceId,
      accountId,
      granted.externalId,
      granted.userKey,
      sealed('access_token', granted.accessToken),
      sealed('refresh_token', granted.refreshToken),
      platform,
      sealed('user_token', granted.userToken),
    ],
  )
  const within = (pool: pg.Pool) => {
    const log = createLog('silent')
    const scopes = createScopes({ pool, events: { publish() {} }, clock: createClock(), log, subscribers })
    return { scopes, log, scope: scopes.scope(workspaceId, { kind: 'system', name: 'token-refresh' }) }
  }
  const refreshIn = (
    pool: pg.Pool,
    { failingSince, callsPerHour = 200 }: { failingSince?: Date; callsPerHour?: number } = {},
  ) => {
    const { scopes, scope, log } = within(pool)
    return refreshAccount(
      scope,
      { networks, crypto, budget: createCallBudget({ scopes, log }, callsPerHour) },
      { accountId, failingSince: failingSince?.toISOString() },
    )
  }
  /** Makes a call with the stored token. */
  const callIn = async <T>(pool: pg.Pool, work: (accessToken: string) => Promise<T>) => {
    const { rows } = await sql.query<{ token: string }>(
      'select access_token as token from social_account where id = $1',
      [accountId],
    )
    return withToken(within(pool).scope, { networks, crypto }, { accountId, accessToken: rows[0]!.token }, work)
  }
  /** The stored refresh token, once no renewal is running. */
  const kept = async () => {
    const { rows } = await sql.query<{ refreshToken: string }>(
      `select refresh_token as "refreshToken" from social_account where id = $1 and refreshing_until is null`,
      [accountId],
    )
    return crypto.open(rows[0]!.refreshToken, place('refresh_token'))
  }
  return { accountId, granted, sealed, refreshIn, callIn, kept }
}

/** The queued renewal of an account, if there is one. */
async function queued(accountId: string) {
  const { rows } = await sql.query<{ payload: { failingSince?: string } }>(
    `select payload -> 'data' as payload
      from graphile_worker._private_jobs where key = $1`,
    [`token:${accountId}`],
  )
  return rows[0]
}

test('a renewal that fails is tried again, and after a day marks the account a week before its token ends', async () => {
  const { accountId, refreshIn } = await renewable('u9011')
  const endsIn = (days: number) =>
    sql.query('update social_account set refresh_expires_at = now() + make_interval(days => $2) where id = $1', [
      accountId,
      days,
    ])
  const status = async () =>
    (await sql.query<{ status: string }>('select status from social_account where id = $1', [accountId])).rows[0]!
      .status
  await addFault(sandbox.url, { match: TOKENS, do: { status: 500 }, times: 5 })
  const pool = openPool(database.url, 2, (error) => console.error(error))
  const long = new Date(Date.now() - 25 * 3_600_000)
  try {
    await endsIn(6)
    await refreshIn(pool)
    expect(await status()).toBe('CONNECTED')
    expect((await queued(accountId))?.payload.failingSince).toBeDefined()
    await endsIn(20)
    await refreshIn(pool, { failingSince: long })
    expect(await status()).toBe('CONNECTED')
    expect((await queued(accountId))?.payload.failingSince).toBe(long.toISOString())
    await endsIn(6)
    await refreshIn(pool, { failingSince: long })
    await refreshIn(pool, { failingSince: long })
    expect(await status()).toBe('RECONNECT_NEEDED')
  } finally {
    await pool.end()
    await call(sandbox.url, 'DELETE', '/faults')
  }
  const { rows } = await sql.query(`select from audit_entry where object ->> 'accountId' = $1`, [accountId])
  expect(rows).toHaveLength(1)
})

test('a renewal waits until its person has calls left', async () => {
  const { accountId, refreshIn } = await renewable('u9012', 'NET_PAGE')
  await addFault(sandbox.url, { match: { path: '/oauth/access_token' }, do: { delayMs: 1 } })
  const pool = openPool(database.url, 2, (error) => console.error(error))
  try {
    await refreshIn(pool, { callsPerHour: 5 })
    expect([await asked(), await queued(accountId)]).toMatchObject([0, { payload: {} }])
    await refreshIn(pool)
    expect(await asked()).toBe(1)
    const { rows } = await sql.query<{ calls: number }>('select sum(calls)::int as calls from network_call')
    expect(rows).toEqual([{ calls: 2 }])
  } finally {
    await pool.end()
    await call(sandbox.url, 'DELETE', '/faults')
  }
})

test('twenty workers of two pools with the same token ask the network once', async () => {
  const { granted, refreshIn, kept } = await renewable('u9001')
  // Slow enough for all of them to arrive while the first one asks.
  await addFault(sandbox.url, { match: TOKENS, do: { delayMs: 40_000 } })
  const pools = [1, 2].map(() => openPool(database.url, 10, (error) => console.error(error)))
  try {
    await Promise.all(Array.from({ length: 20 }, (_, worker) => refreshIn(pools[worker % 2]!)))
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
  expect(await asked()).toBe(1)
  expect(await kept()).not.toBe(granted.refreshToken)
})

test('a renewal that lost its lease on the way stores nothing of what it got', async () => {
  await call(sandbox.url, 'DELETE', '/faults')
  const { accountId, sealed, refreshIn, kept } = await renewable('u9004')
  await addFault(sandbox.url, { match: TOKENS, do: { delayMs: 40_000 } })
  const pool = openPool(database.url, 2, (error) => console.error(error))
  try {
    const late = refreshIn(pool)
    await eventually(async () => (await asked()) === 1)
    // The state after another worker has taken over the lease, or a person has reconnected the account.
    await sql.query('update social_account set refreshing_until = null, refresh_token = $2 where id = $1', [
      accountId,
      sealed('refresh_token', 'the newer one'),
    ])
    await late
  } finally {
    await pool.end()
  }
  expect(await kept()).toBe('the newer one')
  const { rows } = await sql.query(`select from audit_entry where object ->> 'accountId' = $1`, [accountId])
  expect(rows).toEqual([])
})

test('a refused token is renewed, also if it was sealed again during the call', async () => {
  await call(sandbox.url, 'DELETE', '/faults')
  const { accountId, granted, sealed, callIn } = await renewable('u9005')
  const pool = openPool(database.url, 2, (error) => console.error(error))
  const used: string[] = []
  try {
    await callIn(pool, async (accessToken) => {
      used.push(accessToken)
      if (used.length > 1) return
      await sql.query('update social_account set access_token = $2 where id = $1', [
        accountId,
        sealed('access_token', granted.accessToken),
      ])
      throw new NetworkError('auth', 'The token has expired.')
    })
  } finally {
    await pool.end()
  }
  expect(used).toEqual([granted.accessToken, expect.not.stringMatching(`^${granted.accessToken}$`)])
})

test('after a kill between the network’s new token and its storage, people are notified once, and posts wait and are then published', async () => {
  await call(sandbox.url, 'DELETE', '/faults')
  const own = await freshDatabase()
  const db = new pg.Client({ connectionString: own.url })
  await db.connect()
  let product = await startProduct({ databaseUrl: own.url, env: beside(sandbox) })
  try {
    let ann = await newPerson(product.url)
    const [clips] = (await connect(ann, 'NET_VIDEO', 'u9002')) as [SocialAccount]
    const file = await uploadPicture(ann)
    const hurry = () =>
      db.query(
        `update graphile_worker._private_jobs set run_at = now(), locked_at = null, locked_by = null where key = $1`,
        [`token:${clips.id}`],
      )
    await addFault(sandbox.url, { match: TOKENS, do: { delayMs: 120_000, after: true }, times: 1 })
    await hurry()
    await eventually(async () => (await asked()) === 1)
    const { dataDir } = product
    await product.kill()
    product = await startProduct({ databaseUrl: own.url, dataDir, env: beside(sandbox) })
    ann = asPerson(product.url, ann.session)
    await db.query(`update social_account set refreshing_until = app_now() - interval '1 second'`)
    const account = () => db.query<{ status: string }>('select status from social_account where id = $1', [clips.id])
    await eventually(
      async () => {
        await hurry()
        return (await account()).rows[0]?.status === 'RECONNECT_NEEDED'
      },
      30_000,
      300,
    )
    const posts: Post[] = []
    for (const n of [1, 2, 3]) {
      const post = await ann.must<Post>('POST', '/posts', {
        caption: `Waits ${n}`,
        targets: [clips.id],
        media: [file.id],
        platformOptions: { NET_VIDEO: { privacyLevel: 'MUTUAL_FOLLOW_FRIENDS', consent: true } },
        scheduledAt: new Date(Date.now() + 1500).toISOString(),
      })
      posts.push(post)
    }
    await eventually(async () => {
      const { rows } = await db.query(
        `select from publication where wait_reason = 'reconnect_needed' and state = 'PENDING'`,
      )
      return rows.length === 3
    })
    const { rows: told } = await db.query(`select from notification where kind = 'account_reconnect'`)
    expect(told).toHaveLength(1)
    await connect(ann, 'NET_VIDEO', 'u9002')
    for (const { id } of posts) expect(await untilStatus(ann, id, ['PUBLISHED'])).toMatchObject({ status: 'PUBLISHED' })
  } finally {
    await product.stop()
    await db.end()
    await own.drop()
  }
})

// At TIME_SCALE 1, since an answer after the time limit of the call is lost, and the refresh token with it.
test('a renewal whose worker was killed is resumed when its lease ends', async () => {
  await call(sandbox.url, 'DELETE', '/faults')
  const own = await freshDatabase()
  const db = new pg.Client({ connectionString: own.url })
  await db.connect()
  const product = await startProduct({ databaseUrl: own.url, env: { ...beside(sandbox), TIME_SCALE: '1' } })
  try {
    const ann = await newPerson(product.url)
    const [clips] = (await connect(ann, 'NET_VIDEO', 'u9003')) as [SocialAccount]
    const account = async () =>
      (
        await db.query<{ status: string; token: string; free: boolean }>(
          'select status, access_token as token, refreshing_until is null as free from social_account where id = $1',
          [clips.id],
        )
      ).rows[0]
    const before = await account()
    // The state that a worker leaves when it is killed during a renewal.
    await db.query("update social_account set refreshing_until = app_now() + interval '100 seconds' where id = $1", [
      clips.id,
    ])
    const hurry = () =>
      db.query('update graphile_worker._private_jobs set run_at = now() where key = $1', [`token:${clips.id}`])
    await hurry()
    const later = await eventually(async () => {
      const { rows } = await db.query<{ later: number }>(
        'select extract(epoch from run_at - now())::float8 as later from graphile_worker._private_jobs where key = $1',
        [`token:${clips.id}`],
      )
      const [job] = rows
      return job && job.later > 0 && job.later < 1000 && job.later
    })
    expect(later).toBeGreaterThan(80)
    expect(await account()).toMatchObject({ token: before?.token, free: false })
    await db.query('update social_account set refreshing_until = app_now() where id = $1', [clips.id])
    // A job that was already running may postpone it once more, by the rest of that lease.
    const renewed = await eventually(async () => {
      const now = await account()
      if (now?.free && now.token !== before?.token) return now
      await hurry()
      return false
    })
    expect(renewed).toMatchObject({ status: 'CONNECTED' })
  } finally {
    await product.stop()
    await db.end()
    await own.drop()
  }
})
