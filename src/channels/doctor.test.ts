import { beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../test/database.ts'
import { FAST, useProduct } from '../../test/fixtures.ts'
import { beside, freePort, startProduct, startSandbox } from '../../test/product.ts'
import { long, sized } from '../../test/tier.ts'
import {
  addFault,
  type Answer,
  call,
  connect,
  eventually,
  newPerson,
  type Person,
  type Problem,
  graphError,
} from '../../test/world.ts'
import type { DoctorCheck, SocialAccount } from './api.ts'
import type { Platform } from '../networks/api.ts'

const { product, sandbox, sql } = useProduct({ env: FAST })
let ann: Person
let people = 7000

beforeEach(async () => {
  await call(sandbox.url, 'DELETE', '/faults')
  ann = await newPerson(product.url)
})

async function connected(platform: Platform): Promise<SocialAccount> {
  const [account] = await connect(ann, platform, `u${(people += 1)}`)
  // Waits for the job that subscribes to the account's events.
  await eventually(async () => (await doctor(account as SocialAccount)).webhooks.outcome === 'ok')
  return account as SocialAccount
}

/** Waits until no job of an account runs or is due. A reading would give back the calls that it did not need. */
async function untilQuiet({ id }: SocialAccount): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await sql.query(
      `select from graphile_worker._private_jobs where payload::text like '%' || $1 || '%'
        and (locked_at is not null or run_at <= now())`,
      [id],
    )
    return rowCount === 0
  })
}

/** Sets the calls of the last hour of an account's user. */
async function setCalls({ id }: SocialAccount, calls: number): Promise<void> {
  await sql.query(
    `insert into network_call select 'graph', network_user, date_trunc('minute', app_now()), $2 from social_account
     where id = $1 on conflict (app, user_key, minute) do update set calls = $2`,
    [id, calls],
  )
  await sql.query(
    `delete from network_call where user_key = (select network_user from social_account where id = $1) and calls <> $2`,
    [id, calls],
  )
}

/** The findings by code; of several with one code, the first. */
async function doctor({ id }: SocialAccount): Promise<Record<DoctorCheck['code'], DoctorCheck>> {
  const { checks } = await ann.must<{ checks: DoctorCheck[] }>('GET', `/social-accounts/${id}/doctor`)
  for (const { outcome, fix, detail } of checks) {
    expect(detail).not.toBe('')
    if (outcome === 'failed' || outcome === 'warning') expect(fix).toBeTruthy()
  }
  return Object.fromEntries(checks.toReversed().map((each) => [each.code, each])) as never
}

test.each((['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const).slice(0, sized(1, 3)))(
  'a healthy account of %s passes all checks',
  async (platform) => {
    const account = await connected(platform)
    const found = await doctor(account)
    expect(Object.values(found).map(({ outcome }) => outcome)).toEqual(Object.values(found).map(() => 'ok'))
    expect(found.expiry).toMatchObject({ values: { at: account.tokenExpiresAt } })
    if (platform === 'NET_PHOTO') expect(found.posts.values).toEqual({ used: 0, limit: 50 })
  },
)

test('every examination asks the network and counts: each costs its calls, and none exceeds the limit', async () => {
  const account = await connected('NET_PAGE')
  await untilQuiet(account)
  const [before, after] = [(await doctor(account)).calls, (await doctor(account)).calls]
  expect(Number(after.values.used) - Number(before.values.used)).toBe(4)
  await setCalls(account, 200)
  const used = await doctor(account)
  expect(used.calls).toMatchObject({ outcome: 'failed', act: 'none', values: { used: 200, limit: 200 } })
  // A question that could not be asked is not reported as ok.
  expect(used.token).toMatchObject({ outcome: 'unknown' })
  await setCalls(account, 165)
  expect((await doctor(account)).calls).toMatchObject({ outcome: 'warning' })
  await sql.query(`update network_user set blocked_until = app_now() + interval '10 minutes'`)
  expect((await doctor(account)).calls).toMatchObject({ outcome: 'failed', values: { state: 'blocked' } })
  await sql.query('update network_user set blocked_until = null')
})

test('connecting counts its calls, even if none are left', async () => {
  const account = await connected('NET_PAGE')
  const used = async () => Number((await doctor(account)).calls.values.used)
  await untilQuiet(account)
  // From here on, no reading in the background gets a call.
  await setCalls(account, 200)
  expect(await used()).toBe(200)
  await connect(ann, 'NET_PAGE', `u${people}`)
  expect(await used()).toBe(205)
})

test.each((['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const).slice(0, sized(1, 3)))(
  'an ended access to %s is reported once, with the next step, and marks the account',
  async (platform) => {
    const account = await connected(platform)
    const id = platform === 'NET_PHOTO' ? pageOf(account) : account.externalId
    await call(sandbox.url, 'POST', '/accounts', { id, do: platform === 'NET_VIDEO' ? 'revoke' : 'expire' })
    const hang = [
      'account',
      'expiry',
      'scope',
      ...(platform === 'NET_PAGE' ? [] : ['posts']),
      ...(platform === 'NET_VIDEO' ? [] : ['webhooks']),
    ].toSorted()
    const told = async (failure: string | null) => {
      const found = await doctor(account)
      expect(found.token).toMatchObject({ outcome: 'failed', act: 'reconnect', failure })
      const others = Object.values(found).filter(({ code, outcome }) => code !== 'token' && outcome !== 'ok')
      expect(others.map(({ code }) => code).toSorted()).toEqual(hang)
      for (const one of others) {
        expect(one).toMatchObject({ outcome: 'unknown', fix: null, act: 'none', values: { state: 'access' } })
      }
    }
    await told('auth')
    const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
    expect(data.find(({ id: one }) => one === account.id)).toMatchObject({ status: 'RECONNECT_NEEDED' })
    await told(null)
    // What is known without the access is still reported.
    await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: true })
    expect((await doctor(account)).account).toMatchObject({ outcome: 'warning', act: 'admin' })
  },
)

test('an ended access with a refresh token is renewed, and no person is needed', async () => {
  const account = await connected('NET_VIDEO')
  await call(sandbox.url, 'POST', '/accounts', { id: account.externalId, do: 'expire' })
  expect(await doctor(account)).toMatchObject({ account: { outcome: 'ok' }, token: { outcome: 'ok' } })
})

const pageOf = ({ externalId }: SocialAccount) => externalId.replace(/^1784/, '61')

test('a lost role and a changed password are reported by name', async () => {
  const [dismissed, changed] = [await connected('NET_PAGE'), await connected('NET_PAGE')]
  await call(sandbox.url, 'POST', '/accounts', { id: dismissed.externalId, do: 'dismiss' })
  await call(sandbox.url, 'POST', '/accounts', { id: changed.externalId, do: 'revoke' })
  expect((await doctor(dismissed)).token).toMatchObject({ outcome: 'failed', failure: 'role_lost', act: 'reconnect' })
  expect((await doctor(changed)).token).toMatchObject({ outcome: 'failed', failure: 'password_changed' })
})

test('a missing permission is reported with what it disables, from the network’s present answer', async () => {
  const account = await connected('NET_PAGE')
  await sql.query(`update social_account set granted_scopes = '{}' where id = $1`, [account.id])
  expect((await doctor(account)).scope).toMatchObject({ outcome: 'ok' })
  await addFault(sandbox.url, {
    match: { path: '/me/permissions' },
    do: {
      status: 200,
      body: {
        data: [
          { permission: 'pages_show_list', status: 'granted' },
          { permission: 'pages_manage_posts', status: 'declined' },
        ],
      },
    },
  })
  const { checks } = await ann.must<{ checks: DoctorCheck[] }>('GET', `/social-accounts/${account.id}/doctor`)
  const scopes = checks.filter(({ code }) => code === 'scope')
  expect(scopes).toContainEqual(
    expect.objectContaining({
      outcome: 'failed',
      act: 'reconnect',
      values: { scope: 'pages_manage_posts', neededFor: 'publish' },
    }),
  )
  expect(scopes).toContainEqual(
    expect.objectContaining({ outcome: 'warning', values: { scope: 'read_insights', neededFor: 'analytics' } }),
  )
})

test.each((['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO'] as const).slice(0, sized(1, 3)))(
  'an unreachable network (%s) gives unknown, never ok',
  async (platform) => {
    const account = await connected(platform)
    for (const fault of [{ status: 503 }, { status: 200, body: '<html>' }, { drop: 'before' }]) {
      await call(sandbox.url, 'DELETE', '/faults')
      await addFault(sandbox.url, { match: { network: platform }, do: fault })
      if (platform === 'NET_PHOTO') await addFault(sandbox.url, { match: { network: 'NET_PAGE' }, do: fault })
      const found = await doctor(account)
      expect(found.token).toMatchObject({ outcome: 'unknown' })
      if (platform !== 'NET_PAGE') expect(found.posts).toMatchObject({ outcome: 'unknown' })
      expect(found.account).toMatchObject({ outcome: 'ok' })
    }
  },
)

test('a used-up daily number of posts is reported', async () => {
  const photo = await connected('NET_PHOTO')
  const body = { data: [{ quota_usage: 50, config: { quota_total: 50, quota_duration: 86_400 } }] }
  await addFault(sandbox.url, { match: { path: '/content_publishing_limit' }, do: { status: 200, body } })
  expect((await doctor(photo)).posts).toMatchObject({ outcome: 'failed', values: { used: 50, limit: 50 } })
  const clips = await connected('NET_VIDEO')
  const many = { data: {}, error: { code: 'spam_risk_too_many_posts', message: 'no' } }
  await addFault(sandbox.url, { match: { path: '/creator_info/' }, do: { status: 403, body: many } })
  expect((await doctor(clips)).posts).toMatchObject({ outcome: 'failed' })
})

test('pauses, access that ends soon, and ended access are reported', async () => {
  const account = await connected('NET_VIDEO')
  await ann.must('PATCH', `/social-accounts/${account.id}`, { paused: true })
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { publishing: { paused: true } })
  await sql.query(`update social_account set refresh_expires_at = app_now() + interval '3 days' where id = $1`, [
    account.id,
  ])
  expect(await doctor(account)).toMatchObject({
    account: { outcome: 'warning', act: 'admin' },
    publishing: { outcome: 'warning', act: 'admin' },
    expiry: { outcome: 'warning', act: 'reconnect', values: { state: 'soon' } },
  })
  await sql.query(`update social_account set token_expires_at = app_now() - interval '1 day' where id = $1`, [
    account.id,
  ])
  expect((await doctor(account)).expiry).toMatchObject({ outcome: 'failed', values: { state: 'over' } })
})

test.runIf(long)('an unreachable address is reported to the operator', async () => {
  const own = await freshDatabase()
  const networks = await startSandbox()
  const port = await freePort()
  const env = { ...beside(networks), PORT: String(port), PUBLIC_URL: 'http://127.0.0.1:1' }
  const other = await startProduct({ databaseUrl: own.url, env })
  try {
    ann = await newPerson(`http://127.0.0.1:${port}`)
    const account = await connected('NET_VIDEO')
    expect((await doctor(account)).media).toMatchObject({ outcome: 'warning', act: 'operator' })
  } finally {
    await other.stop()
    await networks.stop()
    await own.drop()
  }
})

test('no secret is shown, and only admins examine accounts, their own ones', async () => {
  const account = await connected('NET_PAGE')
  await addFault(sandbox.url, {
    match: { path: `/${account.externalId}` },
    do: { status: 400, body: graphError({ code: 190, message: 'no' }) },
  })
  const answer: Answer<Problem> = await ann.call('GET', `/social-accounts/${account.id}/doctor`)
  expect(JSON.stringify(answer.body)).not.toMatch(/EAA|act\.|Bearer|appsecret|access_token/)
  const bea = await newPerson(product.url, 'Bea')
  expect((await bea.call('GET', `/social-accounts/${account.id}/doctor`)).status).toBe(404)
})
