import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { type Answer, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Profile } from '../identity/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import type { Plan, Subscription, Usage } from './api.ts'

const secrets = {
  JWT_SECRET: 'a secret of access tokens, long enough',
  JWT_REFRESH_SECRET: 'a secret of refresh tokens, long enough',
  ENCRYPTION_KEY: 'c0'.repeat(32),
}

let database: TestDatabase
let product: Running
let managed: Running
let sql: pg.Client
let ann: Person

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({ databaseUrl: database.url, env: secrets })
  managed = await startProduct({ databaseUrl: database.url, env: { ...secrets, BILLING: 'managed' } })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})

afterAll(async () => {
  await sql?.end()
  await managed?.stop()
  await product?.stop()
  await database?.drop()
})

beforeEach(async () => {
  ann = await newPerson(product.url)
})

const told = (answer: Answer<Problem>) => [answer.status, answer.body.code]
const choose = (plan: unknown, person = ann) => person.call<Problem>('PUT', '/billing/subscription', { plan })
const usage = async () => (await ann.must<{ data: Usage[] }>('GET', '/billing/usage')).data
const setRole = (role: string) =>
  sql.query('update member set role = $1 where workspace_id = $2', [role, ann.workspaceId])
const notices = async (kind: string) =>
  (
    await sql.query<{ data: object }>('select data from notification where user_id = $1 and kind = $2 order by id', [
      ann.session.user.id,
      kind,
    ])
  ).rows.map(({ data }) => data)

test('the plans are listed as in the contract, smallest first', async () => {
  const { data } = await ann.must<{ data: Plan[] }>('GET', '/billing/plans')
  expect(data.map(({ id, quotas }) => [id, ...quotas.map(({ limit }) => limit)])).toEqual([
    ['free', 30, 20, 20, 3, 3, 2 ** 30],
    ['pro', 1000, 2000, 2000, 25, 25, 50 * 2 ** 30],
    ['business', null, 20_000, 20_000, null, null, 500 * 2 ** 30],
  ])
  expect(data.map(({ price }) => price)).toEqual([{ amount: 0, currency: 'USD' }, null, null])
  expect(data[0]?.features).toEqual(['ai_content', 'analytics', 'publishing'])
  expect(data[1]?.features).toHaveLength(13)
  expect(data[2]?.features).toEqual(data[1]?.features)
})

test('the use of each quota has its limit and its next start, also before any use', async () => {
  await ann.must('POST', '/posts', { caption: 'a' })
  const data = await usage()
  const { rows } = await sql.query<{ next: Date }>(
    `select (date_trunc('month', now() at time zone 'Europe/Berlin') + interval '1 month') at time zone 'Europe/Berlin' as next`,
  )
  const resetsAt = rows[0]?.next.toISOString()
  expect(data).toEqual([
    { quota: 'posts', kind: 'monthly', limit: 1000, used: 1, resetsAt },
    { quota: 'ai_credits', kind: 'monthly', limit: 2000, used: 0, resetsAt },
    { quota: 'ai_generations', kind: 'monthly', limit: 2000, used: 0, resetsAt },
    { quota: 'social_accounts', kind: 'stock', limit: 25, used: 0, resetsAt: null },
    { quota: 'members', kind: 'stock', limit: 25, used: 1, resetsAt: null },
    { quota: 'media_bytes', kind: 'stock', limit: 50 * 2 ** 30, used: 0, resetsAt: null },
  ])
  await sql.query(
    `update workspace_usage set period = period - interval '1 month' where workspace_id = $1 and quota_id = 'posts'`,
    [ann.workspaceId],
  )
  expect((await usage())[0]).toMatchObject({ used: 0 })
})

describe('the plan of a workspace', () => {
  test('is chosen by the OWNER and applies from the next request on', async () => {
    const answer = await ann.call<Subscription>('PUT', '/billing/subscription', { plan: 'free' })
    expect(answer).toMatchObject({ status: 200, body: { plan: 'free', status: 'active', renewsAt: null } })
    expect(answer.body.features).toEqual(['ai_content', 'analytics', 'publishing'])
    expect(await ann.must('GET', '/billing/subscription')).toEqual(answer.body)
    expect((await ann.must<Profile>('GET', '/api/v1/auth/me')).workspaces[0]).toMatchObject({
      plan: 'free',
      features: answer.body.features,
    })
    const { rows } = await sql.query(
      `select detail from audit_entry where workspace_id = $1 and action = 'subscription.changed'`,
      [ann.workspaceId],
    )
    expect(rows).toEqual([{ detail: { from: 'pro', to: 'free' } }])
  })

  test('does not change when it is chosen again', async () => {
    expect((await choose('pro')).status).toBe(200)
    const { rows } = await sql.query(
      `select from audit_entry where workspace_id = $1 and action = 'subscription.changed'`,
      [ann.workspaceId],
    )
    expect(rows).toHaveLength(0)
  })

  test('that gets smaller deletes nothing: the excess stays, can be edited, and cannot grow', async () => {
    const posts: Post[] = []
    for (let i = 0; i < 32; i += 1) posts.push(await ann.must<Post>('POST', '/posts', { caption: `post ${i}` }))
    await choose('free')
    expect((await usage())[0]).toMatchObject({ quota: 'posts', limit: 30, used: 32 })
    expect(told(await ann.call('POST', '/posts', { caption: 'one more' }))).toEqual([402, 'quota_exceeded'])
    const { data } = await ann.must<{ data: Post[] }>('GET', '/posts?limit=100')
    expect(data).toHaveLength(32)
    await ann.must('PATCH', `/posts/${posts[0]?.id}`, { caption: 'edited' })
    await choose('business')
    expect((await ann.call('POST', '/posts', { caption: 'one more' })).status).toBe(201)
  })

  test('must exist', async () => {
    const answer = await choose('gold')
    expect([...told(answer), answer.body.errors?.map(({ path, code }) => `${path} ${code}`)]).toEqual([
      422,
      'validation_failed',
      ['/plan not_allowed'],
    ])
  })

  test('is visible to an ADMIN, and chosen only by the OWNER', async () => {
    await setRole('ADMIN')
    expect((await ann.call('GET', '/billing/subscription')).status).toBe(200)
    expect(told(await choose('business'))).toEqual([403, 'role_required'])
    await setRole('EDITOR')
    for (const what of ['plans', 'usage', 'subscription']) {
      expect(told(await ann.call<Problem>('GET', `/billing/${what}`))).toEqual([403, 'role_required'])
    }
  })

  test('is chosen by the operator if billing is managed', async () => {
    const config = async (url: string) =>
      (await (await fetch(`${url}/api/v1/config`)).json()) as Record<string, unknown>
    const there = managed.url
    for (const plan of ['business', 'unknown']) {
      const answer = await fetch(`${there}/billing/subscription`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${ann.session.accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ plan }),
      })
      expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([403, 'billing_managed'])
    }
    expect(await ann.must('GET', '/billing/subscription')).toMatchObject({ plan: 'pro' })
    expect([(await config(there)).plansChosenByOwners, (await config(product.url)).plansChosenByOwners]).toEqual([
      false,
      true,
    ])
  })
})

test('the admins are notified once at four fifths of a quota, and once when it is used up', async () => {
  await choose('free')
  await sql.query(`update workspace_usage set used = 22 where workspace_id = $1 and quota_id = 'posts'`, [
    ann.workspaceId,
  ])
  for (let i = 0; i < 8; i += 1) await ann.must('POST', '/posts', { caption: `p${i}` })
  expect(await notices('quota_near')).toEqual([{ quota: 'posts', used: 24, limit: 30 }])
  expect(await notices('quota_reached')).toEqual([{ quota: 'posts', used: 30, limit: 30 }])
  await ann.call('POST', '/posts', { caption: 'refused' })
  expect(await notices('quota_reached')).toHaveLength(1)
})
