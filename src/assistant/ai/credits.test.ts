import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct, startSandbox } from '../../../test/product.ts'
import { wakeLane } from '../../../test/jobs.ts'
import { long, sized } from '../../../test/tier.ts'
import { behave, caption } from '../../../test/ai.ts'
import { addFault, eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Generation, OptionsAnswer } from './api.ts'

// R10: usage never exceeds the credits, failures cost nothing, and the ledger matches the use.

let database: TestDatabase
let product: Running
let sql: pg.Client
let ann: Person

const env = { DEFAULT_PLAN: 'free', AI_CALLS_PER_MINUTE: '100000', ENCRYPTION_KEY: '5a'.repeat(32) }
beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({ databaseUrl: database.url, env })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
beforeEach(async () => {
  ann = await newPerson(product.url)
})
afterEach(() => behave(product.url, {}))
afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
})

/** Returns the used credits and calls, what the ledger has of them, and the open reservations. */
async function books(of = ann.workspaceId) {
  const { rows } = await sql.query<Record<string, number>>(
    `select (select coalesce(sum(used), 0)::int from workspace_usage where workspace_id = $1 and quota_id = 'ai_credits') as credits,
      (select coalesce(sum(used), 0)::int from workspace_usage where workspace_id = $1 and quota_id = 'ai_generations') as calls,
      (select coalesce(sum(e.credits), 0)::int from credit_entry e join workspace_usage u on u.workspace_id = e.workspace_id
        and u.quota_id = 'ai_credits' and u.period = e.period where e.workspace_id = $1) as ledger,
      (select count(*)::int from credit_entry where workspace_id = $1) as entries,
      (select count(*)::int from usage_hold where workspace_id = $1) as holds`,
    [of],
  )
  return rows[0]
}
const spent = (credits: number, calls = credits) => ({ credits, calls, ledger: credits, entries: calls, holds: 0 })
const ask = (headers: Record<string, string> = {}) =>
  ann.call<OptionsAnswer & Problem>('POST', '/ai/caption/generate', { topic: 'Rye bread', count: 2 }, headers)
const latest = async () => (await ann.must<{ data: Generation[] }>('GET', '/ai/generations?limit=1')).data[0]!
const untilOver = () =>
  eventually(async () => {
    const found = await latest()
    return found.endedAt === null ? undefined : found
  })

test('of 200 calls at once on ten credits exactly ten go through, and the others learn why they are refused', async () => {
  await caption(ann)
  await sql.query(
    `update workspace_usage set used = 10 where workspace_id = $1 and quota_id in ('ai_credits', 'ai_generations')`,
    [ann.workspaceId],
  )
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask()))
  expect(answers.filter(({ status }) => status === 200 || status === 202)).toHaveLength(10)
  const refused = answers.filter(({ status }) => status >= 400)
  expect(refused).toHaveLength(190)
  for (const { body } of refused) expect(body).toMatchObject({ code: 'quota_exceeded', quota: 'ai_credits', limit: 20 })
  await eventually(async () => (await books())?.holds === 0)
  expect(await books()).toEqual({ credits: 20, calls: 20, ledger: 11, entries: 11, holds: 0 })
})

test('a call costs one credit, a picture ten, and each counts as one call; the response has the remaining credits', async () => {
  expect((await caption(ann)).usage).toEqual({ credits: 1, remaining: 19 })
  const picture = await ann.must<OptionsAnswer>('POST', '/ai/image/generate', { prompt: 'Bread' })
  expect(picture.usage).toEqual({ credits: 10, remaining: 9 })
  expect(await books()).toEqual(spent(11, 2))
  const more = await ann.call<Problem>('POST', '/ai/image/generate', { prompt: 'Bread' })
  expect(more.body).toMatchObject({ status: 402, quota: 'ai_credits', limit: 20, used: 11, cost: 10 })
  await Promise.all(Array.from({ length: 9 }, () => caption(ann)))
  const none = await ann.call<Problem>('POST', '/ai/image/generate', { prompt: 'Bread' })
  expect(none.body).toMatchObject({ status: 402, quota: 'ai_credits', limit: 20, used: 20, cost: 10 })
  expect((await ask()).body).not.toHaveProperty('cost')
})

test('a used-up number of calls is refused before the body is checked, and credits come first', async () => {
  const limit = (quota: string, amount: number) =>
    sql.query(`update plan_quota set amount = $2 where plan_id = 'free' and quota_id = $1`, [quota, amount])
  const invalid = async () => (await ann.call<Problem>('POST', '/ai/image/generate', {})).body
  try {
    await limit('ai_generations', 0)
    const refusal = await invalid()
    expect(refusal).toMatchObject({ status: 402, code: 'quota_exceeded', quota: 'ai_generations', limit: 0, used: 0 })
    expect(refusal).not.toHaveProperty('cost')
    await limit('ai_credits', 0)
    expect(await invalid()).toMatchObject({ status: 402, quota: 'ai_credits', cost: 10 })
  } finally {
    await limit('ai_generations', 20)
    await limit('ai_credits', 20)
  }
  expect((await invalid()).status).toBe(422)
})

describe('costs nothing:', () => {
  const faults = [
    ['a provider in trouble', { status: 500 }, 'ai_failed'],
    ['an answer that is cut off', { drop: 'after' }, 'ai_failed'],
    ['a provider that is busy', { status: 429 }, 'ai_failed'],
  ] as const
  test.each(faults.slice(0, sized(1, 3)))('%s', async (_what, fault, code) => {
    await addFault(`${product.url}/sandbox`, { match: { network: 'AI' }, do: fault, times: 10 })
    try {
      expect((await ask()).body).toMatchObject({ status: 502, code })
    } finally {
      await fetch(`${product.url}/sandbox/reset`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    }
    expect(await books()).toEqual(spent(0))
    expect(await latest()).toMatchObject({ status: 'FAILED', credits: 0, error: { code } })
  })

  const answers: [object, string][] = [
    [{ answer: 'refusal' }, 'ai_refused'],
    [{ disobey: ['leak'] }, 'ai_unusable'],
    [{ answer: 'half' }, 'ai_failed'],
    [{ answer: 'broken_json' }, 'ai_failed'],
    [{ answer: 'no_schema' }, 'ai_unusable'],
  ]
  test.each(answers.slice(0, sized(2, 5)))('a model that answers %j', async (behaviour, code) => {
    await behave(product.url, behaviour)
    expect((await ask()).body).toMatchObject({ status: 502, code })
    expect(await books()).toEqual(spent(0))
  })

  test('a picture that is truncated', async () => {
    const whole = await sharp({ create: { width: 1024, height: 1024, channels: 3, background: '#a52a2a' } })
      .jpeg()
      .toBuffer()
    const data = [{ b64_json: whole.subarray(0, whole.length / 2).toString('base64') }]
    await addFault(`${product.url}/sandbox`, {
      match: { network: 'AI' },
      do: { status: 200, body: { data } },
      times: 1,
    })
    const answer = await ann.call<Problem>('POST', '/ai/image/generate', { prompt: 'Bread' })
    expect(answer.body).toMatchObject({ status: 502, code: 'ai_failed' })
    expect(await books()).toEqual(spent(0))
    expect(await latest()).toMatchObject({ status: 'FAILED', credits: 0, error: { code: 'ai_failed' } })
    expect((await ann.must<{ data: unknown[] }>('GET', '/media')).data).toEqual([])
  })

  test('a call that is stopped before its first option', async () => {
    await behave(product.url, { delayMs: 5_000 })
    const answer = ask()
    const { id } = await eventually(latest)
    expect(await ann.must('POST', `/ai/generations/${id}/cancel`)).toMatchObject({ status: 'CANCELLED', credits: 0 })
    expect((await answer).body).toMatchObject({ status: 409, code: 'ai_cancelled' })
    expect(await books()).toEqual(spent(0))
    const again = await ann.call<Problem>('POST', `/ai/generations/${id}/cancel`)
    expect(again.body).toMatchObject({ status: 409, code: 'invalid_state', current: 'CANCELLED' })
  })

  test('a request that is refused before the model is asked', async () => {
    const refused = [
      await ann.call('POST', '/ai/caption/generate', { topic: 'a', language: 'Klingonese' }),
      await ann.call('POST', '/ai/caption/generate', { topic: 'a', brandVoiceId: randomUUID() }),
      await ann.call('POST', '/ai/caption/generate', { topic: 'a', postId: randomUUID() }),
      await ann.call('POST', '/ai/hashtags/generate', { mediaIds: [randomUUID()] }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    expect(await books()).toMatchObject({ credits: 0, holds: 0 })
  })
})

test('a call that is stopped after its first option costs its full price', async () => {
  await behave(product.url, { chunkDelayMs: 150 })
  const answer = ask()
  const { id } = await eventually(async () => {
    const found = await latest()
    return found?.options.length === 1 ? found : undefined
  })
  expect(await ann.must('POST', `/ai/generations/${id}/cancel`)).toMatchObject({ status: 'CANCELLED', credits: 1 })
  expect((await answer).status).toBe(409)
  expect(await books()).toEqual(spent(1))
})

test('a call with fewer options than requested, but at least one, is charged and reports the missing ones', async () => {
  await behave(product.url, { disobey: ['count'] })
  const { options, asked, dropped, usage } = await caption(ann)
  expect([options.length, asked, dropped]).toEqual([2, 3, [{ code: 'missing', count: 1 }]])
  expect(usage.credits).toBe(1)
  expect(await books()).toEqual(spent(1))
})

test('the same Idempotency-Key is charged once, also for simultaneous requests', async () => {
  const key = { 'idempotency-key': randomUUID() }
  const first = await ask(key)
  const second = await ask(key)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.body).toEqual(first.body)
  const other = { 'idempotency-key': randomUUID() }
  const both = await Promise.all([ask(other), ask(other)])
  expect(
    both.map(({ status }) => status).filter((status) => status === 200 || status === 202 || status === 409),
  ).toHaveLength(2)
  await untilOver()
  expect(await books()).toEqual(spent(2))
})

test('a workspace runs four calls at a time, and its waiting calls do not delay other workspaces', async () => {
  await behave(product.url, { delayMs: 1_200 })
  const running = async () =>
    Number(
      (
        await sql.query<{ count: string }>(
          `select count(*) from ai_generation where workspace_id = $1 and status = 'RUNNING'`,
          [ann.workspaceId],
        )
      ).rows[0]?.count,
    )
  const answers = Array.from({ length: 8 }, () => ask())
  await eventually(async () => (await running()) === 4)
  const bea = await newPerson(product.url, 'Bea')
  const theirs = caption(bea)
  let most = 0
  let over = false
  void Promise.all(answers).finally(() => (over = true))
  const watched = (async () => {
    while (!over) {
      most = Math.max(most, await running())
      await sleep(50)
    }
  })()
  await theirs
  expect(over).toBe(false)
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
  await watched
  expect(most).toBe(4)
})

describe('a process killed during a call', () => {
  test.runIf(long)(
    'leaves a call that ends as interrupted at once, costs nothing, and is not sent to the model again',
    async () => {
      const fresh = await freshDatabase()
      const sandbox = await startSandbox()
      const beside = {
        ...env,
        AI_BASE_URL: `${sandbox.url}/ai/v1`,
        AI_API_KEY: 'sandbox-ai-key',
        AI_MODEL: 'sandbox-writer',
      }
      const api = await startProduct({ databaseUrl: fresh.url, env: { ...beside, ROLE: 'api' } })
      const worker = { databaseUrl: fresh.url, env: { ...beside, ROLE: 'worker' }, ready: /Parley worker is ready/ }
      const first = await startProduct(worker)
      const own = new pg.Client({ connectionString: fresh.url })
      await own.connect()
      let second: Running | undefined
      try {
        const bob = await newPerson(api.url, 'Bob')
        // The worker runs the call: the process that received the request learns of each option and of the end.
        const whole = await bob.must<OptionsAnswer>('POST', '/ai/caption/generate', { topic: 'Bread' })
        expect(whole.options).toHaveLength(3)
        await fetch(`${sandbox.url}/ai/behaviour`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ delayMs: 8_000 }),
        })
        const answer = bob.call<Problem>('POST', '/ai/caption/generate', { topic: 'Rye' })
        await eventually(
          async () => (await own.query(`select from ai_generation where status = 'RUNNING'`)).rowCount === 1,
        )
        await first.kill()
        second = await startProduct(worker)
        expect((await answer).body).toMatchObject({ status: 502, code: 'ai_failed' })
        const { data } = await bob.must<{ data: Generation[] }>('GET', '/ai/generations?limit=1')
        expect(data[0]).toMatchObject({ status: 'FAILED', credits: 0, error: { code: 'interrupted' } })
        const { rows } = await own.query(
          `select (select count(*)::int from usage_hold) as holds, (select count(*)::int from credit_entry) as entries,
          (select sum(used)::int from workspace_usage where quota_id = 'ai_credits') as used`,
        )
        expect(rows[0]).toEqual({ holds: 0, entries: 1, used: 1 })
        const calls = (await (await fetch(`${sandbox.url}/ai/calls`)).json()) as { data: { prompt: string }[] }
        expect(calls.data.filter(({ prompt }) => prompt.includes('Rye')).length).toBeLessThanOrEqual(1)
      } finally {
        await own.end()
        await second?.stop()
        await api.stop()
        await sandbox.stop()
        await fresh.drop()
      }
    },
  )

  test('leaves a call that it ran itself, which another process then ends', async () => {
    const beside = {
      ...env,
      AI_BASE_URL: `${product.url}/sandbox/ai/v1`,
      AI_API_KEY: 'sandbox-ai-key',
      AI_MODEL: 'sandbox-writer',
    }
    const first = await startProduct({ databaseUrl: database.url, env: beside })
    try {
      const bob = await newPerson(first.url, 'Bob')
      await behave(product.url, { delayMs: 20_000 })
      const broken = bob.call('POST', '/ai/caption/generate', { topic: 'Oats' }).catch(() => 'gone')
      const call = async () => {
        const { rows } = await sql.query<{ id: string; status: string; code: string; holds: number }>(
          `select id, status, error ->> 'code' as code,
            (select count(*)::int from usage_hold where workspace_id = $1) as holds
          from ai_generation where workspace_id = $1`,
          [bob.workspaceId],
        )
        return rows[0]
      }
      await eventually(async () => (await call())?.status === 'RUNNING')
      const { id } = (await call())!
      await first.kill()
      expect(await broken).toBe('gone')
      // Ends the lease of the killed process, and makes the copy of its job due.
      await sql.query('update ai_generation set leased_until = app_now() where id = $1', [id])
      await sql.query('update graphile_worker._private_jobs set run_at = now() where key = $1', [`ai:${id}`])
      await wakeLane(sql, 'ai-suggestions')
      const ended = await eventually(async () => {
        const found = await call()
        return found?.status === 'RUNNING' ? undefined : found
      })
      expect(ended).toEqual({ id, status: 'FAILED', code: 'interrupted', holds: 0 })
      expect((await sql.query('select from credit_entry where workspace_id = $1', [bob.workspaceId])).rowCount).toBe(0)
      const calls = (await (await fetch(`${product.url}/sandbox/ai/calls`)).json()) as { data: { prompt: string }[] }
      expect(calls.data.filter(({ prompt }) => prompt.includes('Oats')).length).toBeLessThanOrEqual(1)
    } finally {
      await first.stop()
    }
  })
})
