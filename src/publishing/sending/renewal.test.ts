import { beforeEach, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import { sized } from '../../../test/tier.ts'
import {
  addFault,
  call,
  connect,
  eventually,
  liveOn,
  newPerson,
  untilSentAgain,
  untilStatus,
  uploadPicture,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../posts/api.ts'

// A NET_VIDEO access token that expired early, while its refresh token is valid: nobody needs to reconnect.

// Accounts of other files are renewed too, and each renewal here is counted.
const { product, sandbox, sql } = useProduct({ env: FAST, own: true })
let users = 9200

beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

async function somebody() {
  const user = `u${(users += 1)}`
  const ann = await newPerson(product.url)
  const [account] = (await connect(ann, 'NET_VIDEO', user)) as [SocialAccount]
  const file = await uploadPicture(ann)
  const post = (caption: string, more: object) =>
    ann.must<Post>('POST', '/posts', {
      caption,
      targets: [account.id],
      media: [file.id],
      platformOptions: { NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true } },
      ...more,
    })
  return {
    ann,
    account,
    post,
    again: () => connect(ann, 'NET_VIDEO', user),
    expire: () => call(sandbox.url, 'POST', '/accounts', { id: account.externalId, do: 'expire' }),
    live: async () => (await liveOn(sandbox.url)).get(account.externalId)?.length ?? 0,
    async told() {
      const { rows } = await sql.query<{ status: string; told: number; renewed: number }>(
        `select status, (select count(*)::int from notification n where n.workspace_id = a.workspace_id
            and kind = 'account_reconnect') as told, (select count(*)::int from audit_entry l
            where l.workspace_id = a.workspace_id and action = 'account.token_renewed') as renewed
          from social_account a where id = $1`,
        [account.id],
      )
      return rows[0]
    },
  }
}

/** Counts the calls to a path without changing them. */
const count = (path: string) => addFault(sandbox.url, { match: { path, nth: 1_000_000 }, do: { status: 500 } })

async function counted(): Promise<number[]> {
  const { body } = await call<{ faults: { seen: number }[] }>(sandbox.url, 'GET', '/state')
  return body.faults.map(({ seen }) => seen)
}

test('an expired token is renewed once, at the step, however many posts meet it, and they go out', async () => {
  const clips = await somebody()
  await clips.expire()
  await count('/v2/oauth/token/')
  const posts = await Promise.all([1, 2, 3].map((n) => clips.post(`Renewed ${n}`, { action: 'publish' })))
  for (const { id } of posts) expect((await untilSentAgain(sql, clips.ann, id)).status).toBe('PUBLISHED')
  expect(await clips.told()).toEqual({ status: 'CONNECTED', told: 0, renewed: 1 })
  expect(await counted()).toEqual([1])
  expect(await clips.live()).toBe(3)
})

test('a token that expires between the check and the post costs another try, but no reconnection', async () => {
  const clips = await somebody()
  const body = { data: {}, error: { code: 'access_token_invalid', message: 'Over', log_id: 'x' } }
  await addFault(sandbox.url, { match: { path: '/content/init/' }, do: { status: 401, body }, times: 1 })
  const { id } = await clips.post('Over at the last moment', { action: 'publish' })
  expect((await untilSentAgain(sql, clips.ann, id)).status).toBe('PUBLISHED')
  expect(await clips.told()).toEqual({ status: 'CONNECTED', told: 0, renewed: 1 })
  expect(await clips.live()).toBe(1)
})

test('a reconnection while a refused token is renewed costs another try, but no read: the outcome is certain', async () => {
  const clips = await somebody()
  const tokens = async () => {
    const { rows } = await sql.query<{ access: string; refresh: string }>(
      'select access_token as access, refresh_token as refresh from social_account where id = $1',
      [clips.account.id],
    )
    return rows[0]!
  }
  /** Stores tokens as a connection does, at a moment that no request can hit. */
  const store = ({ access, refresh }: { access: string; refresh: string }) =>
    sql.query(
      'update social_account set access_token = $2, refresh_token = $3, refreshing_until = null where id = $1',
      [clips.account.id, access, refresh],
    )
  const older = await tokens()
  await clips.again()
  const newer = await tokens()
  await store(older)
  const body = { data: {}, error: { code: 'access_token_invalid', message: 'Over', log_id: 'x' } }
  await addFault(sandbox.url, { match: { path: '/content/init/' }, do: { status: 401, body }, times: 1 })
  await addFault(sandbox.url, { match: { path: '/v2/oauth/token/' }, do: { delayMs: 40_000 }, times: 1 })
  const { id } = await clips.post('Connected again meanwhile', { action: 'publish' })
  await eventually(async () => (await counted())[1] === 1)
  await store(newer)
  const step = await eventually(async () => {
    const { rows } = await sql.query<{ state: string; reason: string }>(
      `select state, wait_reason as reason from delivery
        where post_id = $1 and kind = 'post' and turn is null and lease_until is null and tries = 1`,
      [id],
    )
    return rows[0]
  })
  expect(step).toEqual({ state: 'PENDING', reason: 'backoff' })
  expect((await untilSentAgain(sql, clips.ann, id)).status).toBe('PUBLISHED')
  expect(await clips.told()).toEqual({ status: 'CONNECTED', told: 0, renewed: 0 })
  expect(await tokens()).toEqual(newer)
  expect(await clips.live()).toBe(1)
})

test('a token that expires while a post is processed is renewed by the read', async () => {
  const clips = await somebody()
  const body = { data: {}, error: { code: 'access_token_invalid', message: 'Over', log_id: 'x' } }
  await addFault(sandbox.url, { match: { path: '/status/fetch/' }, do: { status: 401, body }, times: 1 })
  const { id } = await clips.post('Over while it is read', { action: 'publish' })
  expect((await untilSentAgain(sql, clips.ann, id)).status).toBe('PUBLISHED')
  expect(await clips.told()).toEqual({ status: 'CONNECTED', told: 0, renewed: 1 })
  expect(await clips.live()).toBe(1)
})

test.each(['/content/init/', '/creator_info/query/'].slice(0, sized(1, 2)))(
  'a renewed token that %s refuses too needs a person; waiting posts go out after the reconnection, marked late',
  async (path) => {
    const clips = await somebody()
    const body = { data: {}, error: { code: 'access_token_invalid', message: 'Not you', log_id: 'x' } }
    await addFault(sandbox.url, { match: { path }, do: { status: 401, body } })
    await count('/v2/oauth/token/')
    const begun = await clips.post('Refused twice', { action: 'publish' })
    await eventually(async () => (await clips.told())?.status === 'RECONNECT_NEEDED')
    expect(await clips.told()).toEqual({ status: 'RECONNECT_NEEDED', told: 1, renewed: 1 })
    expect((await counted())[1]).toBe(1)
    // A scheduled post waits for the account, past its time.
    const { id } = await clips.post('Due meanwhile', { scheduledAt: new Date(Date.now() + 1_500).toISOString() })
    const held = `select from publication where post_id = $1 and state = 'PENDING' and wait_reason = 'reconnect_needed'`
    await eventually(async () => (await sql.query(held, [id])).rowCount === 1)
    expect(await clips.live()).toBe(0)
    await sql.query(`update post set scheduled_at = scheduled_at - interval '2 minutes' where id = $1`, [id])
    await call(sandbox.url, 'DELETE', '/faults')
    await clips.again()
    expect(await untilStatus(clips.ann, id, ['PUBLISHED'])).toMatchObject({ late: true })
    expect((await untilStatus(clips.ann, begun.id, ['PUBLISHED'])).status).toBe('PUBLISHED')
    expect(await clips.live()).toBe(2)
  },
)

test('a token that cannot be renewed needs a person at once', async () => {
  const clips = await somebody()
  await call(sandbox.url, 'POST', '/accounts', { id: clips.account.externalId, do: 'revoke' })
  await clips.post('Revoked', { action: 'publish' })
  await eventually(async () => (await clips.told())?.status === 'RECONNECT_NEEDED')
  expect(await clips.told()).toEqual({ status: 'RECONNECT_NEEDED', told: 1, renewed: 0 })
})
