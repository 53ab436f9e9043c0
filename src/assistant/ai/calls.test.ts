import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { addJob } from '../../../test/jobs.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { long } from '../../../test/tier.ts'
import { eventually as within, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { hashSecret } from '../../core/platform/crypto.ts'
import type { Generation, OptionsAnswer } from './api.ts'

// What happens to a call when its connection breaks, its process or the database fails, others wait, or its author
// leaves.

let database: TestDatabase
let product: Running
let sql: pg.Client
let way: Awaited<ReturnType<typeof openWay>>
let ann: Person
beforeAll(async () => {
  database = await freshDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  way = await openWay(database.url)
  product = await startProduct({ databaseUrl: way.url, env: { AI_CALLS_PER_MINUTE: '1000' } })
  ann = await newPerson(product.url)
})
afterEach(() => behave({}))
afterAll(async () => {
  await sql?.end()
  await product?.stop()
  way?.close()
  await database?.drop()
})

const eventually = <T>(look: () => Promise<T | undefined | false>) => within(look, 8_000)

const BRIEF = { topic: 'Fresh bread', count: 2 }
const behave = (json: object) =>
  fetch(`${product.url}/sandbox/ai/behaviour`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  })
const modelCalls = async () => {
  const { data } = (await (await fetch(`${product.url}/sandbox/ai/calls`)).json()) as { data: { prompt: string }[] }
  return data
}
const ask = (headers: Record<string, string> = {}, person = ann) =>
  person.call<OptionsAnswer & Pick<Problem, 'code'>>('POST', '/ai/caption/generate', BRIEF, headers)
const generations = async (person = ann) =>
  (await person.must<{ data: Generation[] }>('GET', '/ai/generations?limit=50')).data
const newest = async (person = ann) => (await generations(person))[0]
const until = (status: Generation['status'], person = ann) =>
  eventually(async () => {
    const found = await newest(person)
    return found?.status === status && found
  })

/** Asks, and closes the connection once the model was asked. */
async function leave(headers: Record<string, string>, person = ann): Promise<Generation> {
  const known = (await newest(person))?.id
  const gone = new AbortController()
  const asking = fetch(`${product.url}/api/v1/ai/caption/generate`, {
    method: 'POST',
    signal: gone.signal,
    headers: {
      authorization: `Bearer ${person.session.accessToken}`,
      'x-workspace-id': person.workspaceId,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(BRIEF),
  }).then(
    (response) => response.text().catch(() => ''),
    () => '',
  )
  const begun = await eventually(async () => {
    const found = await newest(person)
    return found?.id !== known && found?.status === 'RUNNING' && found
  })
  gone.abort()
  await asking
  return begun
}

// ---- keys

test.each<Record<string, string>>([{}, ...(long ? [{ accept: 'text/event-stream' }] : [])])(
  'with a key, a broken connection does not stop a call, and a repeat gets its result: %j',
  async (accept) => {
    await behave({ delayMs: 500 })
    const key = { 'idempotency-key': `broken-${JSON.stringify(accept).length}` }
    const { id } = await leave({ ...key, ...accept })
    const repeat = await ask(key)
    expect(repeat.status).toBe(200)
    expect(repeat.body).toMatchObject({ id, options: [expect.anything(), expect.anything()] })
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    const later = await ask(key)
    expect(later.body).toEqual(repeat.body)
  },
)

test('without a key, a broken connection stops the call', async () => {
  await behave({ delayMs: 3_000 })
  const { id } = await leave({})
  await until('CANCELLED')
  expect((await newest())?.id).toBe(id)
})

test('a repeat of a call that failed unseen reports the failure, and the next one asks again', async () => {
  await behave({ answer: 'refusal', delayMs: 300 })
  const key = { 'idempotency-key': 'failed' }
  const { id } = await leave(key)
  await until('FAILED')
  await behave({})
  const repeat = await ask(key)
  expect([repeat.status, repeat.body.code]).toEqual([502, 'ai_refused'])
  const next = await ask(key)
  expect(next.status).toBe(200)
  expect(next.body.id).not.toBe(id)
})

test('after a reported failure the same key asks again', async () => {
  await behave({ answer: 'refusal' })
  const key = { 'idempotency-key': 'refused' }
  expect((await ask(key)).status).toBe(502)
  await behave({})
  expect((await ask(key)).status).toBe(200)
})

// ---- calls that wait for running ones

test('twenty calls of a workspace wait while four run; any more are refused, and waiting calls run in order', async () => {
  const ben = await newPerson(product.url, 'Ben')
  await behave({ delayMs: 50_000 })
  const jobs = async () => Number((await sql.query('select count(*) from graphile_worker._private_jobs')).rows[0].count)
  const refused: Awaited<ReturnType<typeof ask>>[] = []
  const answers = Array.from({ length: 30 }, async () => {
    const answer = await ask({}, ben)
    if (answer.status === 429) refused.push(answer)
  })
  await eventually(async () => refused.length === 6)
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [429, 'ai_busy']))
  expect(refused[0]?.headers.get('retry-after')).toBe('5')
  // Waiting calls have no jobs.
  await eventually(async () => (await jobs()) < 10)
  await behave({})
  // This ends the four that run.
  const all = await generations(ben)
  const run = all.filter(({ status }) => status === 'RUNNING')
  await Promise.all(run.map(({ id }) => ben.must('POST', `/ai/generations/${id}/cancel`)))
  await Promise.all(answers)
  const done = await sql.query<{ id: string }>(
    `select id from ai_generation where workspace_id = $1 and status = 'SUCCEEDED' order by started_at, id`,
    [ben.workspaceId],
  )
  const ids = done.rows.map(({ id }) => id)
  expect([run.length, ids.length]).toEqual([4, 20])
  // Four calls may start at the same moment, in any order.
  const order = ids.toSorted()
  for (const [place, id] of ids.entries()) expect(Math.abs(order.indexOf(id) - place)).toBeLessThan(4)
})

const enqueue = (data: object, workspaceId = ann.workspaceId) => addJob(sql, 'ai-suggestions', data, { workspaceId })

test('a second job leaves a running call alone', async () => {
  await behave({ delayMs: 1_000 })
  const asked = ask()
  const { id } = await until('RUNNING')
  await enqueue({ generationId: id })
  expect((await asked).status).toBe(200)
})

test('a call whose process died is ended by its next job or by the recovery, and costs nothing', async () => {
  await behave({ delayMs: 20_000 })
  const settled = async (id: string) =>
    eventually(async () => {
      const found = await ann.must<Generation>('GET', `/ai/generations/${id}`)
      return found.status === 'FAILED' && found
    })
  for (const data of [undefined, {}]) {
    const asked = ask()
    const { id } = await until('RUNNING')
    // A running process renews its lease only shortly before it ends.
    await sql.query(`update ai_generation set leased_until = null where id = $1`, [id])
    await enqueue(data ?? { generationId: id })
    expect(await settled(id)).toMatchObject({ credits: 0, error: { code: 'interrupted' } })
    expect((await asked).status).toBe(502)
  }
})

test('several calls whose process died are ended together, and each is charged for its delivered options', async () => {
  const kim = await newPerson(product.url, 'Kim')
  await behave({ delayMs: 20_000 })
  const lines = [ask({}, kim), ask({}, kim)]
  await eventually(async () => {
    const all = await generations(kim)
    return all.length === 2 && all.every(({ status }) => status === 'RUNNING')
  })
  await sql.query(
    `update ai_generation set leased_until = null, options = '[{"text": "Fresh bread", "score": 1, "reasons": []}]'
    where workspace_id = $1`,
    [kim.workspaceId],
  )
  await enqueue({}, kim.workspaceId)
  // Before the queue releases their jobs, which would end each call separately.
  const answers = await Promise.race([Promise.all(lines), sleep(8_000, [])])
  expect(answers.map(({ status, body }) => [status, body.options.length, body.usage.credits])).toEqual([
    [200, 1, 1],
    [200, 1, 1],
  ])
})

test('a waiting call without a job is woken, and one that outlasted its reservations is ended', async () => {
  const cat = await newPerson(product.url, 'Cat')
  await behave({ delayMs: 20_000 })
  const lines = Array.from({ length: 6 }, () => ask({}, cat))
  const waiting = await eventually(async () => {
    const queued = (await generations(cat)).filter(({ status }) => status === 'QUEUED')
    return (await generations(cat)).length === 6 && queued.length === 2 && queued
  })
  const [last, next] = waiting as [Generation, Generation]
  await sql.query(`update ai_generation set created_at = now() - interval '11 minutes' where id = $1`, [last.id])
  await sql.query(`update ai_generation set leased_until = null where workspace_id = $1 and status = 'RUNNING'`, [
    cat.workspaceId,
  ])
  await behave({})
  await enqueue({})
  await Promise.all(lines)
  const ended = await generations(cat)
  expect(ended.find(({ id }) => id === last.id)).toMatchObject({ status: 'FAILED', credits: 0 })
  expect(ended.find(({ id }) => id === next.id)?.status).toBe('SUCCEEDED')
})

test('a running call renews its lease', async () => {
  await behave({ delayMs: 8_000 })
  const asked = ask()
  const { id } = await until('RUNNING')
  const lease = async () =>
    (await sql.query<{ at: Date }>('select leased_until as at from ai_generation where id = $1', [id])).rows[0]!.at
  const before = await lease()
  await eventually(async () => (await lease()) > before)
  await ann.must('POST', `/ai/generations/${id}/cancel`)
  expect((await asked).status).toBe(409)
})

// ---- concurrent changes

test('a person who may no longer edit when a call ends changes nothing in the post', async () => {
  const post = await ann.must<Post>('POST', '/posts', { caption: 'Fresh bread' })
  const dan = await newPerson(product.url, 'Dan')
  await sql.query(`update member set role = 'ADMIN' where workspace_id = $1`, [ann.workspaceId])
  try {
    for (const role of ['VIEWER', null]) {
      await sql.query(
        `insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')
        on conflict (workspace_id, user_id) do update set role = 'EDITOR'`,
        [ann.workspaceId, dan.session.user.id],
      )
      const own = { 'x-workspace-id': ann.workspaceId }
      await behave({ delayMs: 800 })
      const asked = dan.call<OptionsAnswer>(
        'POST',
        '/ai/hashtags/generate',
        { caption: 'Fresh bread', postId: post.id },
        own,
      )
      const { id } = await until('RUNNING')
      if (role)
        await sql.query('update member set role = $2 where user_id = $1 and workspace_id = $3', [
          dan.session.user.id,
          role,
          ann.workspaceId,
        ])
      else
        await sql.query('delete from member where user_id = $1 and workspace_id = $2', [
          dan.session.user.id,
          ann.workspaceId,
        ])
      await asked
      expect(await ann.must<Generation>('GET', `/ai/generations/${id}`)).toMatchObject({
        status: 'SUCCEEDED',
        applied: false,
      })
      expect((await ann.must<Post>('GET', `/posts/${post.id}`)).hashtags).toEqual([])
    }
  } finally {
    await sql.query(`update member set role = 'OWNER' where workspace_id = $1 and user_id = $2`, [
      ann.workspaceId,
      ann.session.user.id,
    ])
  }
})

test.runIf(long)('a voice that is deleted while a call waits still applies', async () => {
  const eve = await newPerson(product.url, 'Eve')
  const voice = await eve.must<{ id: string }>('POST', '/brand-voices', {
    name: 'Plain',
    writingStyle: 'As plain as a brown paper bag',
    vocabulary: { terms: [], phrases: [], avoid: ['cheap'] },
  })
  await behave({ delayMs: 1_200 })
  const lines = Array.from({ length: 4 }, () => ask({}, eve))
  await eventually(async () => (await generations(eve)).filter(({ status }) => status === 'RUNNING').length === 4)
  const last = eve.call('POST', '/ai/caption/generate', { topic: 'Rye bread', brandVoiceId: voice.id })
  await eventually(async () => (await newest(eve))?.status === 'QUEUED')
  await eve.must('DELETE', `/brand-voices/${voice.id}`)
  await Promise.all([...lines, last])
  const told = (await modelCalls()).find(({ prompt }) => prompt.includes('Rye bread'))
  expect(told?.prompt).toContain('brown paper bag')
})

// ---- unpaid calls

test('an accepted text is tagged once, and a workspace has a daily limit of tagged texts', async () => {
  const fay = await newPerson(product.url, 'Fay')
  const made = await fay.must<OptionsAnswer>('POST', '/ai/caption/generate', { topic: 'Fresh bread', count: 2 })
  const post = await fay.must<Post>('POST', '/posts', { caption: 'Fresh bread today' })
  // Only calls for these texts: other tests of this file may still have some under way.
  const asked = async () =>
    (await modelCalls()).filter(({ prompt }) => /bread today/.test(prompt) && prompt.includes('classify')).length
  const accept = (option: number, postId = post.id) =>
    fay.must('POST', `/ai/generations/${made.id}/accept`, { option, postId })
  const tagged = (id = post.id) =>
    eventually(async () => (await fay.must<{ data: object | null }>('GET', `/posts/${id}/tags`)).data ?? undefined)
  await accept(0)
  await tagged()
  for (const option of [0, 1, 0, 1, 0, 1, 1]) await accept(option)
  const other = await fay.must<Post>('POST', '/posts', { caption: 'Rye bread today' })
  await accept(0, other.id)
  await tagged(other.id)
  expect(await asked()).toBe(2)

  await sql.query('update try_count set tries = 100 where key = $1', [hashSecret(`tags ${fay.workspaceId}`)])
  const third = await fay.must<Post>('POST', '/posts', { caption: 'White bread today' })
  await accept(0, third.id)
  await eventually(async () => {
    const { rowCount } = await sql.query('select from graphile_worker._private_jobs where payload::text like $1', [
      `%${third.id}%`,
    ])
    return rowCount === 0
  })
  expect(await asked()).toBe(2)
})

test('a job that asks the model is given up after a few tries', async () => {
  const post = await ann.must<Post>('POST', '/posts', { caption: 'Fresh bread for all' })
  const made = await ann.must<OptionsAnswer>('POST', '/ai/caption/generate', BRIEF)
  await sql.query(`create table seen as select max_attempts from graphile_worker._private_jobs limit 0`)
  await sql.query(`create function see() returns trigger language plpgsql security definer as $$ begin
    insert into public.seen values (new.max_attempts); return new; end $$`)
  await sql.query(
    'create trigger see before insert on graphile_worker._private_jobs for each row execute function see()',
  )
  await ann.must('POST', `/ai/generations/${made.id}/accept`, { option: 0, postId: post.id })
  const { rows } = await sql.query<{ max: number }>('select max_attempts as max from seen order by 1')
  await sql.query('drop trigger see on graphile_worker._private_jobs')
  expect(rows.map(({ max }) => max)).toContain(3)
})

test('a plan without a limit reports no remaining credits', async () => {
  const { rows } = await sql.query<{ amount: string; plan: string }>(
    `select pq.amount, pq.plan_id as plan from plan_quota pq join subscription s on s.plan_id = pq.plan_id
     where s.workspace_id = $1 and pq.quota_id = 'ai_credits'`,
    [ann.workspaceId],
  )
  const { amount, plan } = rows[0]!
  const set = (to: string | null) =>
    sql.query(`update plan_quota set amount = $1 where plan_id = $2 and quota_id = 'ai_credits'`, [to, plan])
  await set(null)
  const { body } = await ask()
  await set(amount)
  expect(body.usage.remaining).toBeNull()
})

// ---- the database

test.runIf(long)('a stream survives a database outage of three seconds, and later reacts to a stop', async () => {
  await behave({ delayMs: 7_000 })
  const response = await fetch(`${product.url}/api/v1/ai/caption/generate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ann.session.accessToken}`,
      'x-workspace-id': ann.workspaceId,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify(BRIEF),
  })
  const { id } = await until('RUNNING')
  await way.away(3_000)
  const cancelled = performance.now()
  await eventually(async () => (await ann.call('POST', `/ai/generations/${id}/cancel`, {})).status === 200)
  const text = await response.text()
  expect(text).toContain('event: error')
  expect(text).toContain('ai_cancelled')
  expect(performance.now() - cancelled).toBeLessThan(5_000)
})

test.runIf(long)('a stream that cannot continue reports an error and ends', async () => {
  await behave({ delayMs: 5_000 })
  const response = await fetch(`${product.url}/api/v1/ai/caption/generate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ann.session.accessToken}`,
      'x-workspace-id': ann.workspaceId,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify(BRIEF),
  })
  await until('RUNNING')
  await sql.query('alter table brand_voice rename to brand_voice_')
  await sql.query('alter table credit_entry rename to credit_entry_')
  try {
    const text = await Promise.race([response.text(), sleep(10_000, 'it hangs')])
    expect(text).toContain('event: error')
    expect(text).toContain('"code":"internal"')
  } finally {
    await sql.query('alter table credit_entry_ rename to credit_entry')
    await sql.query('alter table brand_voice_ rename to brand_voice')
  }
})

/** Opens a proxy to the database that can be cut. */
async function openWay(to: string) {
  const url = new URL(to)
  const { hostname, port, searchParams } = url
  const directory = searchParams.get('host')
  const ends = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = directory
      ? connect(`${directory}/.s.PGSQL.${port || 5432}`)
      : connect(Number(port || 5432), hostname)
    for (const end of [socket, onward]) {
      ends.add(end)
      end.on('error', () => undefined).on('close', () => [socket, onward].forEach((one) => one.destroy()))
    }
    socket.pipe(onward).pipe(socket)
  })
  const open = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await open(0)
  const here = (server.address() as AddressInfo).port
  searchParams.delete('host')
  url.host = `127.0.0.1:${here}`
  const close = () => {
    server.close()
    for (const end of ends) end.destroy()
    ends.clear()
  }
  return {
    url: url.toString(),
    close,
    async away(milliseconds: number) {
      close()
      await sleep(milliseconds)
      await open(here)
    },
  }
}
