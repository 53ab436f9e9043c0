import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../test/fixtures.ts'
import { wakeLane } from '../../test/jobs.ts'
import { startProduct } from '../../test/product.ts'
import {
  addFault,
  type Answer,
  call,
  connectPages,
  eventually,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
  untilStatus,
  graphError,
} from '../../test/world.ts'
import { long, sized } from '../../test/tier.ts'
import type { AuditEntry } from '../team/audit/api.ts'
import type { Plan, Subscription } from '../team/plans/api.ts'
import type { Post } from '../publishing/posts/api.ts'
import * as api from './api.ts'
import type { AdminUser, AdminUserDetails, AdminWorkspace, FailedWork, Queue } from './api.ts'
import { withoutSecrets } from './rules.ts'

const { product, sql, database } = useProduct({ env: { BILLING: 'managed' }, own: true })
let root: Person
let ann: Person

beforeEach(async () => {
  await sql.query('update app_user set is_super_admin = false')
  root = await newPerson(product.url, 'Root')
  await makeAdmin(root)
  ann = await newPerson(product.url, 'Ann')
})

const makeAdmin = (person: Person) =>
  sql.query('update app_user set is_super_admin = true where id = $1', [person.session.user.id])

interface List<T> {
  data: T[]
  nextCursor: string | null
}
const idOf = (person: Person) => person.session.user.id
const told = (answer: Answer) => [answer.status, (answer.body as Problem).code]
const list = <T>(path: string, person = root) => person.must<List<T>>('GET', `/admin/${path}`)
const disable = (id: string, person = root) => person.call<AdminUserDetails>('POST', `/admin/users/${id}/disable`)
const enable = (id: string, person = root) => person.call<AdminUserDetails>('POST', `/admin/users/${id}/enable`)
const signIn = (person: Person) =>
  call<Problem>(product.url, 'POST', '/api/v1/auth/login', { email: person.session.user.email, password: PASSWORD })

/** The recorded events of an operator, newest first. */
const noted = async (person = root) =>
  (
    await sql.query<{ action: string; object: object; detail: object; ip: string; request_id: string }>(
      `select action, object, detail, ip, request_id from security_event where user_id = $1 and action like 'admin.%'
        order by id desc`,
      [idOf(person)],
    )
  ).rows

const endpoints = Object.values(api).filter(
  (one): one is typeof api.listUsers => 'method' in one && 'url' in one && 'config' in one,
)

describe('the gate', () => {
  test('every route begins with /admin and is for operators', () => {
    expect(endpoints).toHaveLength(13)
    for (const { url, config } of endpoints)
      expect([url, config.gate]).toEqual([expect.stringMatching(/^\/admin\//), 'super-admin'])
  })

  test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.url}`, endpoint] as const))(
    '%s is refused to an OWNER and without a session, before the body is checked and without a record',
    async (_name, { method, url }) => {
      const path = url.replace(':id', idOf(ann)).replace(':plan', 'free').replace(':name', 'mail').replace(':job', '1')
      const body = method === 'GET' ? undefined : '{'
      const json = { 'content-type': 'application/json' }
      expect(told(await ann.call(method, path, body, json))).toEqual([403, 'super_admin_required'])
      expect(told(await call(product.url, method, path, body, json))).toEqual([401, 'unauthenticated'])
      expect(await noted(ann)).toEqual([])
    },
  )

  test('a former operator is refused from the next request on', async () => {
    await list('users')
    await sql.query('update app_user set is_super_admin = false where id = $1', [idOf(root)])
    expect(told(await root.call('GET', '/admin/users'))).toEqual([403, 'super_admin_required'])
  })
})

describe('users', () => {
  test('are listed newest first with what an operator needs, and nothing that opens an account', async () => {
    const { data } = await list<AdminUser>('users?limit=2')
    expect(data.map(({ id }) => id)).toEqual([idOf(ann), idOf(root)])
    expect(data[0]).toEqual({
      id: idOf(ann),
      email: ann.session.user.email,
      phone: null,
      name: 'Ann',
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      disabledAt: null,
      isSuperAdmin: false,
      workspaces: 1,
    })
    expect(data[1]).toMatchObject({ isSuperAdmin: true })
  })

  test('are paged without gaps or repetitions', async () => {
    for (let i = 0; i < 5; i += 1) await newPerson(product.url, `Page${i}`)
    const whole = (await list<AdminUser>('users?limit=100')).data.map(({ id }) => id)
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: List<AdminUser> = await list(`users?limit=3${cursor && `&cursor=${cursor}`}`)
      paged.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(paged).toEqual(whole)
    expect(told(await root.call('GET', '/admin/users?cursor=x'))).toEqual([422, 'validation_failed'])
  })

  test('are found by a part of the name, address or number, regardless of case, and by being disabled', async () => {
    const found = async (query: string) => (await list<AdminUser>(`users?${query}`)).data.map(({ id }) => id)
    const phone = `+4917${Math.floor(Math.random() * 1e8)}`
    await sql.query(`update app_user set name = '100% Ünal_', phone = $2 where id = $1`, [idOf(ann), phone])
    expect(await found(`text=${encodeURIComponent('100% ün')}`)).toContain(idOf(ann))
    expect(await found(`text=${ann.session.user.email?.slice(0, 12).toUpperCase()}`)).toEqual([idOf(ann)])
    expect(await found(`text=${phone.slice(-9)}`)).toEqual([idOf(ann)])
    expect(await found(`text=${encodeURIComponent('%')}`)).not.toContain(idOf(root))
    expect(await found('text=nobody+at+all')).toEqual([])
    await disable(idOf(ann))
    expect(await found('disabled=true')).toContain(idOf(ann))
    expect(await found('disabled=false')).not.toContain(idOf(ann))
  })

  test('are shown with their workspaces and roles; an unknown id is 404', async () => {
    const user = await root.must<AdminUserDetails>('GET', `/admin/users/${idOf(ann)}`)
    expect(user.workspaces).toEqual([
      { id: ann.workspaceId, name: 'Ann’s workspace', role: 'OWNER', plan: 'pro', deletedAt: null },
    ])
    expect(user.sessions).toBe(1)
    // A session ends without a request when it expires, or is idle for too long.
    for (const dead of [`expires_at = now() - interval '1 minute'`, `issued_at = now() - interval '31 days'`]) {
      expect((await signIn(ann)).status).toBe(200)
      const sessions = async () => (await root.must<AdminUserDetails>('GET', `/admin/users/${idOf(ann)}`)).sessions
      expect(await sessions()).toBe(2)
      await sql.query(
        `update session set ${dead} where id = (select id from session where user_id = $1 order by created_at desc limit 1)`,
        [idOf(ann)],
      )
      expect(await sessions()).toBe(1)
    }
    for (const id of ['1', ann.workspaceId]) {
      expect(told(await root.call('GET', `/admin/users/${id}`))).toEqual([404, 'not_found'])
    }
  })
})

describe('a disabled user', () => {
  test('is out from the next request on, in every session, and cannot sign in until enabled', async () => {
    const answer = await disable(idOf(ann))
    expect(answer).toMatchObject({ status: 200, body: { id: idOf(ann), disabledAt: expect.any(String), sessions: 0 } })
    expect(told(await ann.call('GET', '/api/v1/auth/me'))).toEqual([401, 'account_disabled'])
    expect(told(await signIn(ann))).toEqual([401, 'account_disabled'])
    const { rows } = await sql.query('select end_reason from session where user_id = $1', [idOf(ann)])
    expect(rows).toEqual([{ end_reason: 'disabled' }])
    expect(await enable(idOf(ann))).toMatchObject({ status: 200, body: { disabledAt: null } })
    expect((await ann.call('GET', '/api/v1/auth/me')).status).toBe(401)
    expect((await signIn(ann)).status).toBe(200)
    expect((await noted()).map(({ action, object }) => [action, object])).toEqual([
      ['admin.user.enabled', { userId: idOf(ann) }],
      ['admin.user.disabled', { userId: idOf(ann) }],
    ])
  })

  test('loses the live stream at once', async () => {
    const stream = await fetch(`${product.url}/api/v1/workspaces/${ann.workspaceId}/events`, {
      headers: { authorization: `Bearer ${ann.session.accessToken}` },
    })
    const ended = (async () => {
      for await (const _ of stream.body as unknown as AsyncIterable<unknown>);
      return true
    })()
    await disable(idOf(ann))
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5_000, 'still open'))])).toBe(true)
  })

  test('an operator cannot disable themselves, or anyone twice; refusals leave no record', async () => {
    expect(told(await disable(idOf(root)))).toEqual([409, 'invalid_state'])
    expect((await root.call('GET', '/api/v1/auth/me')).status).toBe(200)
    expect(told(await enable(idOf(ann)))).toEqual([409, 'invalid_state'])
    await disable(idOf(ann))
    const again = await disable(idOf(ann))
    expect([...told(again), (again.body as unknown as Problem)['current']]).toEqual([409, 'invalid_state', 'disabled'])
    expect(told(await disable(ann.workspaceId))).toEqual([404, 'not_found'])
    expect((await noted()).map(({ action }) => action)).toEqual(['admin.user.disabled'])
  })

  test('is at most one of two operators who disable each other at the same time', async () => {
    for (let i = 0; i < sized(2, 5); i += 1) {
      const other = await newPerson(product.url, 'Other')
      await makeAdmin(other)
      const answers = await Promise.all([disable(idOf(other)), disable(idOf(root), other)])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200,
        expect.toSatisfy((status) => status !== 200),
      ])
      const { rows } = await sql.query('select id from app_user where is_super_admin and disabled_at is null')
      expect(rows).toHaveLength(1)
      await sql.query('update app_user set disabled_at = null, is_super_admin = (id = $1)', [idOf(root)])
      root = await newPerson(product.url, 'Root')
      await makeAdmin(root)
      await sql.query('update app_user set is_super_admin = (id = $1)', [idOf(root)])
    }
  })

  test('is one of ten operators who disable each other at once, or the caller is told why not; one remains', async () => {
    const operators = [root]
    while (operators.length < 10) operators.push(await newPerson(product.url, 'Operator'))
    for (const operator of operators) await makeAdmin(operator)
    const next = (i: number) => operators[(i + 1) % 10]!
    const holder = await sql.connect()
    try {
      await holder.query('begin')
      await holder.query('select from app_user where is_super_admin for update')
      const sent = operators.map((operator, i) => disable(idOf(next(i)), operator))
      // All but one wait for their turn, so that none of them holds what the one needs.
      const turns = await eventually(async () => {
        const { rows } = await sql.query<{ turns: number; all: number }>(
          `select count(*) filter (where wait_event = 'advisory')::int as turns, count(*)::int as all
            from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return (rows[0]?.all ?? 0) >= 10 && (rows[0]?.turns ?? 0) >= 9 && rows[0]?.turns
      })
      expect(turns).toBe(9)
      await holder.query('commit')
      const answers = await Promise.all(sent)
      const { rows } = await sql.query<{ id: string }>(
        'select id from app_user where is_super_admin and disabled_at is null',
      )
      for (const [i, answer] of answers.entries()) {
        const remains = rows.some(({ id }) => id === idOf(next(i)))
        expect([remains, ...told(answer)]).toEqual(
          remains ? [true, expect.toBeOneOf([401, 403]), expect.any(String)] : [false, 200, undefined],
        )
      }
      expect(rows.length).toBeGreaterThan(0)
    } finally {
      await holder.query('rollback')
      holder.release()
    }
  })

  test('is disabled once by a request that is repeated with its key', async () => {
    const key = { 'idempotency-key': `disable-${idOf(ann)}` }
    const first = await root.call('POST', `/admin/users/${idOf(ann)}/disable`, undefined, key)
    const second = await root.call('POST', `/admin/users/${idOf(ann)}/disable`, undefined, key)
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(second.body).toEqual(first.body)
    expect(await noted()).toHaveLength(1)
  })
})

describe('workspaces', () => {
  test('are listed with plan, members and posts of the month, and found by name and plan', async () => {
    await ann.must('POST', '/posts', { caption: 'a' })
    await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { name: 'Kaffee_Rösterei' })
    const find = async (query: string) => (await list<AdminWorkspace>(`workspaces?${query}`)).data
    const [found] = await find(`text=${encodeURIComponent('FEE_RÖ')}`)
    expect(found).toEqual({
      id: ann.workspaceId,
      name: 'Kaffee_Rösterei',
      plan: 'pro',
      members: 1,
      postsThisMonth: 1,
      createdAt: expect.any(String),
      deletedAt: null,
    })
    expect((await find('plan=free')).map(({ id }) => id)).not.toContain(ann.workspaceId)
    const first = await list<AdminWorkspace>('workspaces?limit=1')
    const second = await list<AdminWorkspace>(`workspaces?limit=1&cursor=${first.nextCursor}`)
    expect([first.data[0]?.id, second.data[0]?.id]).toEqual([ann.workspaceId, root.workspaceId])
  })

  test('are given another plan if billing is managed: it applies at once and is in both audits', async () => {
    expect(told(await ann.call('PUT', '/billing/subscription', { plan: 'free' }))).toEqual([403, 'billing_managed'])
    const given = await root.must<Subscription>('PUT', `/admin/workspaces/${ann.workspaceId}/subscription`, {
      plan: 'free',
    })
    expect(given).toMatchObject({ plan: 'free', features: ['ai_content', 'analytics', 'publishing'] })
    expect(await ann.must('GET', '/billing/subscription')).toEqual(given)
    const [entry] = (await ann.must<List<AuditEntry>>('GET', '/audit?action=subscription')).data
    expect(entry).toMatchObject({
      actor: { kind: 'system', id: null, name: 'Parley', email: null },
      detail: { from: 'pro', to: 'free' },
      ip: null,
      requestId: null,
    })
    expect(await noted()).toMatchObject([
      {
        action: 'admin.subscription.changed',
        object: { workspaceId: ann.workspaceId },
        detail: { plan: 'free' },
        ip: '127.0.0.1',
        request_id: expect.any(String),
      },
    ])
  })

  test('are given only existing plans, and only if they exist', async () => {
    const give = (id: string, plan: unknown) => root.call('PUT', `/admin/workspaces/${id}/subscription`, { plan })
    expect(told(await give(ann.workspaceId, 'gold'))).toEqual([422, 'validation_failed'])
    for (const id of ['1', idOf(ann)]) expect(told(await give(id, 'free'))).toEqual([404, 'not_found'])
    await sql.query('update workspace set deleted_at = now() where id = $1', [ann.workspaceId])
    expect(told(await give(ann.workspaceId, 'free'))).toEqual([404, 'not_found'])
    expect(await noted()).toEqual([])
  })
})

describe('plans', () => {
  test('change for all their workspaces from the next request on, and only in the given fields', async () => {
    const { data, features } = await root.must<List<Plan> & { features: string[] }>('GET', '/admin/plans')
    expect(data.map(({ id }) => id)).toEqual(['free', 'pro', 'business'])
    expect(features).toHaveLength(13)
    const pro = data[1] as Plan
    try {
      const less = await root.must<Plan>('PUT', '/admin/plans/pro', {
        features: pro.features.filter((one) => one !== 'publishing'),
      })
      expect(less.quotas).toEqual(pro.quotas)
      const refused = await ann.call<Problem>('POST', '/posts', { caption: 'a' })
      expect([...told(refused), refused.body['plans']]).toEqual([402, 'feature_not_in_plan', ['free', 'business']])
      await root.must('PUT', '/admin/plans/pro', { features: pro.features, quotas: { posts: 1 } })
      expect((await ann.call('POST', '/posts', { caption: 'a' })).status).toBe(201)
      expect(told(await ann.call('POST', '/posts', { caption: 'b' }))).toEqual([402, 'quota_exceeded'])
      const unlimited = await root.must<Plan>('PUT', '/admin/plans/pro', { quotas: { posts: null } })
      expect(unlimited.quotas[0]).toEqual({ quota: 'posts', kind: 'monthly', limit: null })
      expect((await ann.call('POST', '/posts', { caption: 'b' })).status).toBe(201)
    } finally {
      await root.must('PUT', '/admin/plans/pro', { features: pro.features, quotas: { posts: 1000 } })
    }
    expect((await noted()).filter(({ action }) => action === 'admin.plan.changed')).toHaveLength(4)
    await root.must('PUT', '/admin/plans/pro', { quotas: { posts: 1000 } })
    expect((await noted())[0]).toMatchObject({ object: { plan: 'pro' }, detail: { after: pro } })
    expect((await noted()).filter(({ action }) => action === 'admin.plan.changed')).toHaveLength(4)
  })

  test('have a monthly price, or are on request', async () => {
    const price = async () => (await list<Plan>('plans')).data.find(({ id }) => id === 'business')?.price
    expect(await price()).toBeNull()
    const { quotas, features } = await root.must<Plan>('PUT', '/admin/plans/business', {
      price: { amount: 4900, currency: 'EUR' },
    })
    expect((await noted())[0]).toMatchObject({
      action: 'admin.plan.changed',
      detail: { before: { price: null }, after: { price: { amount: 4900, currency: 'EUR' }, quotas, features } },
    })
    const offered = await ann.must<List<Plan>>('GET', '/billing/plans')
    expect(offered.data.find(({ id }) => id === 'business')?.price).toEqual({ amount: 4900, currency: 'EUR' })
    const wrong = [
      { amount: 1, currency: 'QQQ' },
      { amount: -1, currency: 'EUR' },
      { amount: 1.5, currency: 'EUR' },
      { amount: 2 ** 31, currency: 'EUR' },
      { amount: 1, currency: 'eur' },
      { amount: 1 },
    ]
    for (const one of wrong)
      expect(told(await root.call('PUT', '/admin/plans/business', { price: one }))).toEqual([422, 'validation_failed'])
    await root.must('PUT', '/admin/plans/business', { price: null })
    expect(await price()).toBeNull()
  })

  test('refuse unknown features and quotas, and then change nothing', async () => {
    const before = (await list<Plan>('plans')).data
    const answer = await root.call<Problem>('PUT', '/admin/plans/free', {
      features: ['publishing', 'wings'],
      quotas: { posts: 5, 'a/b': 1 },
    })
    expect(answer.body.errors?.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/features/1 unknown',
      '/quotas/a~1b unknown',
    ])
    for (const wrong of [{ quotas: { posts: -1 } }, { quotas: { posts: 1.5 } }, { features: 'all' }, { name: 'x' }]) {
      expect(told(await root.call('PUT', '/admin/plans/free', wrong))).toEqual([422, 'validation_failed'])
    }
    expect(told(await root.call('PUT', '/admin/plans/gold', { features: [] }))).toEqual([404, 'not_found'])
    expect((await list<Plan>('plans')).data).toEqual(before)
  })
})

describe('queues', () => {
  const queue = async (name: string) => (await list<Queue>('queues')).data.find((one) => one.name === name)
  const failedOf = async (name: string) => (await list<FailedWork>(`queues/${name}/failed`)).data
  /** Creates jobs that fail, because the queue does not accept their payload. */
  const failing = async (count = 1) => {
    await sql.query(
      `select graphile_worker.add_job('media', json_build_object('workspaceId', $1::text, 'data', 'sealed-secret'), max_attempts => 1)
        from generate_series(1, $2)`,
      [ann.workspaceId, count],
    )
    await wakeLane(sql, 'media')
    await eventually(async () => ((await queue('media'))?.failed ?? 0) >= count)
  }
  beforeEach(async () => {
    await sql.query('delete from graphile_worker._private_jobs where last_error is not null')
  })

  test('are all listed, busy or idle, with publish and schedule read from the rows', async () => {
    const { data } = await list<Queue>('queues')
    expect(data.map(({ name }) => name).slice(0, 3)).toEqual(['publish', 'schedule', 'media'])
    expect(data).toHaveLength(5 + Object.keys((await import('../core/platform/job-names.ts')).jobs).length)
    const before = await queue('schedule')
    const [page] = await connectPages(ann, 'u3')
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
    await ann.must('POST', '/posts', { caption: 'later', targets: [page?.id], scheduledAt, action: 'schedule' })
    expect(await queue('schedule')).toMatchObject({ waiting: (before?.waiting ?? 0) + 1, oldestSeconds: null })
  })

  test('a failed job is shown with its reason but without its data, runs again, and fails again', async () => {
    await failing()
    expect(await queue('media')).toMatchObject({ failed: 1, retrying: 0 })
    const [work, ...others] = await failedOf('media')
    expect(others).toEqual([])
    expect(work).toMatchObject({ state: 'failed', attempts: 1, maxAttempts: 1, nextAt: null, canRetry: true })
    expect(work?.error).toMatch(/expected object/i)
    expect(JSON.stringify(work)).not.toContain('sealed-secret')
    expect(await root.must('POST', `/admin/jobs/${work?.id}/retry`)).toEqual({ retried: 1 })
    const again = await eventually(async () => {
      const [now] = await failedOf('media')
      return now && now.at > (work?.at ?? '') ? now : undefined
    })
    expect(again).toMatchObject({ id: work?.id, state: 'failed', attempts: 1 })
    expect((await noted()).find(({ action }) => action === 'admin.job.retried')).toMatchObject({
      object: { jobId: work?.id, queue: 'media' },
    })
  })

  test('a job that can succeed now disappears after it ran again; all jobs of a queue can run again at once', async () => {
    await failing(3)
    const ids = (await failedOf('media')).map(({ id }) => id)
    await sql.query(
      `update graphile_worker._private_jobs set payload = json_build_object('workspaceId', $1::text, 'data',
        json_build_object('mediaFileId', $1::text)) where id = any ($2)`,
      [ann.workspaceId, ids],
    )
    expect(await root.must('POST', '/admin/queues/media/retry')).toEqual({ retried: 3 })
    await eventually(async () => {
      const { rows } = await sql.query('select from graphile_worker.jobs where id = any ($1)', [ids])
      return rows.length === 0
    })
    expect(await failedOf('media')).toEqual([])
    expect(await root.must('POST', '/admin/queues/media/retry')).toEqual({ retried: 0 })
  })

  test('a job that will be retried is shown with the time of that', async () => {
    await sql.query(`select graphile_worker.add_job('media', '{}', max_attempts => 5)`)
    await wakeLane(sql, 'media')
    const work = await eventually(async () => (await failedOf('media'))[0])
    expect(work).toMatchObject({ state: 'waiting', attempts: 1, maxAttempts: 5, nextAt: expect.any(String) })
    expect(await queue('media')).toMatchObject({ waiting: 1, retrying: 1, failed: 0 })
  })

  test('failures are paged without gaps or repetitions', async () => {
    await failing(7)
    // All within one millisecond, which is the precision of JavaScript.
    const { rows } = await sql.query<{ id: string; n: number }>(
      `with placed as (select id, row_number() over (order by random()) as n from graphile_worker._private_jobs where last_error is not null)
      update graphile_worker._private_jobs j set updated_at = '2030-01-01T00:00:00Z'::timestamptz + n * interval '1 microsecond'
        from placed where placed.id = j.id returning j.id::text, n::int`,
    )
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: List<FailedWork> = await list(`queues/media/failed?limit=3${cursor && `&cursor=${cursor}`}`)
      paged.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(paged).toEqual((await failedOf('media')).map(({ id }) => id))
    expect(new Set(paged).size).toBe(7)
    expect(paged).toEqual(rows.toSorted((a, b) => b.n - a.n).map(({ id }) => id))
    expect(told(await root.call('GET', '/admin/queues/media/failed?cursor=x'))).toEqual([422, 'validation_failed'])
  })

  test('a publication that a network refused is shown with its reason, and left to its workspace', async () => {
    const [page] = await connectPages(ann, 'u4')
    await addFault(`${product.url}/sandbox`, {
      match: { network: 'NET_PAGE', method: 'POST', path: '/feed' },
      do: { status: 400, body: graphError({ message: 'Wrong', code: 100 }) },
      times: 1,
    })
    const post = await ann.must<Post>('POST', '/posts', { caption: 'a', targets: [page?.id], action: 'publish' })
    const failed = await untilStatus(ann, post.id, ['FAILED'])
    const [work] = await failedOf('publish')
    expect(work).toMatchObject({ id: failed.publications[0]?.id, state: 'failed', canRetry: false })
    expect(work?.error).toContain(failed.publications[0]?.error?.code)
    expect((await queue('publish'))?.failed).toBeGreaterThan(0)
    expect(told(await root.call('POST', '/admin/queues/publish/retry'))).toEqual([409, 'invalid_state'])
  })

  test('an unknown queue or job id is refused, and so is a job that has not failed', async () => {
    for (const path of ['queues/wings/failed', 'queues/a%2Fb/failed']) {
      expect(told(await root.call('GET', `/admin/${path}`))).toEqual([404, 'not_found'])
    }
    expect(told(await root.call('POST', '/admin/queues/wings/retry'))).toEqual([404, 'not_found'])
    for (const id of ['0', 'x', '9'.repeat(30), idOf(ann)]) {
      expect(told(await root.call('POST', `/admin/jobs/${id}/retry`))).toEqual([404, 'not_found'])
    }
    const { rows } = await sql.query(
      `select id from graphile_worker.add_job('media', '{}', run_at => now() + interval '1 hour')`,
    )
    const answer = await root.call<Problem>('POST', `/admin/jobs/${rows[0].id}/retry`)
    expect([...told(answer), answer.body['current']]).toEqual([409, 'invalid_state', 'waiting'])
  })
})

test('the figures have the names of metrics that a network no longer accepts', async () => {
  const read = async () => (await fetch(`${product.url}/metrics`)).text()
  const named = 'parley_refused_metrics{app="graph",version="v1",kind="post",metric="gone_views"} 1'
  expect(await read()).not.toContain(named)
  await sql.query(`insert into metric_gone (app, version, kind, metric) values ('graph', 'v1', 'post', 'gone_views')`)
  expect(await read()).toContain(named)
})

describe('the audit of operators', () => {
  test('lists every read and every act, newest first, with actor, address and object', async () => {
    for (const path of ['users', `users/${idOf(ann)}`, 'workspaces', 'plans', 'queues', 'queues/mail/failed']) {
      await root.must('GET', `/admin/${path}`)
    }
    await disable(idOf(ann))
    await root.must('GET', '/admin/audit')
    const { data } = await list<api.OperatorEntry>('audit')
    expect(data.slice(0, 8).map(({ action, object }) => [action, object])).toEqual([
      ['admin.read.audit', {}],
      ['admin.user.disabled', { userId: idOf(ann) }],
      ['admin.read.failed', { queue: 'mail' }],
      ['admin.read.queues', {}],
      ['admin.read.plans', {}],
      ['admin.read.workspaces', {}],
      ['admin.read.user', { userId: idOf(ann) }],
      ['admin.read.users', {}],
    ])
    expect(data[0]).toMatchObject({
      actor: { kind: 'user', id: idOf(root), name: 'Root', email: root.session.user.email },
      ip: '127.0.0.1',
      requestId: expect.any(String),
    })
  })

  test('is filtered by kind and person, paged, and contains only acts of operators', async () => {
    await disable(idOf(ann))
    const actions = async (query: string) =>
      (await list<api.OperatorEntry>(`audit?${query}`)).data.map(({ action }) => action)
    expect(await actions(`kind=changes&actorId=${idOf(root)}`)).toEqual(['admin.user.disabled'])
    expect(await actions(`kind=reads&actorId=${idOf(root)}`)).toEqual(['admin.read.audit'])
    expect((await actions('limit=100')).every((action) => action.startsWith('admin.'))).toBe(true)
    const first = await list<api.OperatorEntry>('audit?limit=1&kind=changes')
    const second = await list<api.OperatorEntry>(`audit?limit=1&kind=changes&cursor=${first.nextCursor}`)
    expect((second.data[0]?.id ?? '') < (first.data[0]?.id ?? '')).toBe(true)
  })

  test('cannot be changed or removed with an operator’s rights', async () => {
    for (const statement of [`update security_event set action = 'x'`, 'delete from security_event']) {
      await sql.query('begin')
      await sql.query('set local role parley_admin')
      await expect(sql.query(statement)).rejects.toThrow('permission denied')
      await sql.query('rollback')
    }
  })
})

describe('the command', () => {
  const said = async (env: Record<string, string>, ...command: string[]) => {
    const args = ['server/admin.js', ...command]
    const options = { env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env } }
    return promisify(execFile)(process.execPath, args, options).then(
      ({ stdout }) => stdout.trim(),
      (error: { code: number; stderr: string }) => `${error.code}: ${error.stderr.trim()}`,
    )
  }

  test('grants the first super admin, who may act from the next request on, and revokes that', async () => {
    await sql.query('update app_user set is_super_admin = false')
    const env = { DATABASE_URL: database.url }
    const email = ann.session.user.email as string
    expect(await said(env, 'list')).toBe('There is no super admin.')
    expect(await said(env, 'grant', email.toUpperCase())).toMatch(`${email} is a super admin now: /app/admin`)
    expect((await ann.call('GET', '/admin/users')).status).toBe(200)
    expect(await said(env, 'grant', email)).toBe(`${email} is already a super admin.`)
    expect(await said(env, 'list')).toBe(email)
    const { data } = await list<api.OperatorEntry>('audit?kind=changes&limit=1', ann)
    expect(data).toMatchObject([
      { action: 'admin.granted', object: { userId: idOf(ann) }, actor: { kind: 'system', id: null } },
    ])
    expect(await said(env, 'revoke', email)).toBe(`${email} is no longer a super admin.`)
    expect(told(await ann.call('GET', '/admin/users'))).toEqual([403, 'super_admin_required'])
    expect(await said(env, 'grant', 'nobody@example.test')).toMatch(
      /^1: No account has the address nobody@example.test/,
    )
    // A letter that lowercasing would turn into another person's address.
    expect(await said(env, 'grant', '\u212Aelvin@example.test')).toMatch(/^1: \u212Aelvin@example.test is not an email/)
    expect(await said(env, 'wings')).toMatch(/^1: npm run admin -- list/)
  })

  test.runIf(long)('works on the embedded server, whether or not the product is running', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
    try {
      expect(await said({ DATA_DIR: dataDir }, 'list')).toMatch(/^1: There is no database in/)
      const embedded = await startProduct({ dataDir })
      const eve = await newPerson(embedded.url, 'Eve')
      const email = eve.session.user.email as string
      expect(await said({ DATA_DIR: dataDir }, 'grant', email)).toMatch(/is a super admin now/)
      expect((await eve.call('GET', '/admin/users')).status).toBe(200)
      await embedded.stop()
      expect(await said({ DATA_DIR: dataDir }, 'list')).toBe(email)
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

test('the reason of a failure shows no secrets, addresses or numbers', () => {
  expect(withoutSecrets('no such key: posts_workspace_id_fkey_of_all_tables')).toContain(
    'posts_workspace_id_fkey_of_all_tables',
  )
  const id = '0193e7a0-1b2c-7d3e-8f40-123456789abc'
  expect(withoutSecrets(`the file ${id} is missing`)).toBe(`the file ${id} is missing`)
  for (const secret of [
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3',
    'v1.k1.4vZ8Lw2mXb0Q.aGVsbG8gd29ybGQgMTIz',
    'ann@example.test',
    '+491701234567',
    'smtp://user:pa55word@mail.test',
  ]) {
    const shown = withoutSecrets(`it failed: ${secret} was refused`)
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain('pa55word')
  }
  expect(withoutSecrets('x'.repeat(9_000))).toHaveLength(500)
})
