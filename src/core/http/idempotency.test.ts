import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import {
  type Answer,
  asPerson,
  confirmEmail,
  eventually,
  mailTo,
  newPerson,
  type Person,
  type Problem,
} from '../../../test/world.ts'
import type { Post } from '../../publishing/posts/api.ts'
import type { Workspace } from '../../team/workspaces/api.ts'

const secrets = {
  JWT_SECRET: 'a secret of access tokens, long enough',
  JWT_REFRESH_SECRET: 'a secret of refresh tokens, long enough',
  ENCRYPTION_KEY: 'c0'.repeat(32),
}

let database: TestDatabase
let product: Running
let sql: pg.Client
let ann: Person

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({ databaseUrl: database.url, env: secrets })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})

afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
})

beforeEach(async () => {
  ann = await newPerson(product.url)
})

const post = <T = Post>(key: string, body: unknown = { caption: 'hello' }, person = ann, path = '/posts') =>
  person.call<T>('POST', path, body, { 'idempotency-key': key })
const count = async (person = ann) => (await person.must<{ data: Post[] }>('GET', '/posts?limit=100')).data.length
const told = (answer: Answer) => [answer.status, (answer.body as Problem).code]
const replayed = (answer: Answer) => answer.headers.get('idempotent-replayed')

describe('a POST with an Idempotency-Key', () => {
  test('whose sender lost their membership meanwhile is not replayed once they are a member again', async () => {
    const key = randomUUID()
    // The sender is removed once the key is claimed and before the draft is written.
    await sql.query(`create function remove_sender() returns trigger language plpgsql security definer as
      $$ begin delete from public.member where user_id = new.user_id; return null; end $$`)
    await sql.query(
      'create trigger remove_sender after insert on idempotency_key for each row execute function remove_sender()',
    )
    try {
      const sent = await post<Problem>(key, { caption: 'hello', targets: [randomUUID()] })
      expect(told(sent)).toEqual([404, 'not_found'])
    } finally {
      await sql.query('drop function remove_sender() cascade')
    }
    await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'OWNER')`, [
      ann.workspaceId,
      ann.session.user.id,
    ])
    const again = await post<Problem>(key, { caption: 'hello', targets: [randomUUID()] })
    expect([replayed(again), ...told(again)]).toEqual([null, 422, 'validation_failed'])
  })

  test('takes effect once; a repeat gets the same answer, marked as a replay', async () => {
    const key = randomUUID()
    const first = await post(key)
    const again = await post(key)
    expect([first.status, replayed(first)]).toEqual([201, null])
    expect([again.status, replayed(again)]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
    for (const name of ['location', 'etag', 'content-type'])
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    expect(await count()).toBe(1)
    const { rows } = await sql.query('select used from workspace_usage where workspace_id = $1 and quota_id = $2', [
      ann.workspaceId,
      'posts',
    ])
    expect(Number(rows[0].used)).toBe(1)
  })

  test('takes effect once when sent fifty times at once; the others get its answer or learn that it is running', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(key)))
    expect(answers.filter((answer) => answer.status === 201).length).toBeGreaterThan(0)
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(told(answer)).toEqual([409, 'idempotency_in_progress'])
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect(await count()).toBe(1)
  })

  test('is refused with another body; another path, person or workspace makes it another request', async () => {
    const key = randomUUID()
    await post(key)
    expect(told(await post<Problem>(key, { caption: 'other' }))).toEqual([422, 'idempotency_key_reused'])
    expect(told(await post<Problem>(key, { hashtags: [], caption: 'hello' }))).toEqual([422, 'idempotency_key_reused'])
    const bea = await newPerson(product.url, 'Bea')
    const hers = await post(key, undefined, bea)
    expect([hers.status, replayed(hers)]).toEqual([201, null])
    const second = await ann.must<Workspace>('POST', '/workspaces', { name: 'Second' })
    const there = await post(key, undefined, asPerson(product.url, ann.session, second.id))
    expect([there.status, replayed(there)]).toEqual([201, null])
  })

  test('creates one workspace, although its scope is not that of the request', async () => {
    const key = randomUUID()
    const first = await post<Workspace>(key, { name: 'Bakery' }, ann, '/workspaces')
    const again = await post<Workspace>(key, { name: 'Bakery' }, ann, '/workspaces')
    expect(again.body).toEqual(first.body)
    expect((await ann.must<{ data: unknown[] }>('GET', '/workspaces')).data).toHaveLength(2)
  })

  test('stores a refusal that follows the gates and validation, but no fault of the request itself', async () => {
    const { body: draft } = await post(randomUUID())
    const cancel = `/posts/${draft.id}/cancel`
    const key = randomUUID()
    expect(told(await post(key, {}, ann, cancel))).toEqual([409, 'invalid_state'])
    const again = await post(key, {}, ann, cancel)
    expect([...told(again), replayed(again)]).toEqual([409, 'invalid_state', 'true'])

    const other = randomUUID()
    expect(told(await post(other, { caption: 7 }))).toEqual([422, 'validation_failed'])
    expect(told(await post(other, { caption: 'a', scheduledAt: '2001-01-01T00:00:00Z' }))[0]).toBe(422)
    expect((await post(other, { caption: 'fine now' })).status).toBe(201)
  })

  test('passes the gates before it is replayed', async () => {
    const key = randomUUID()
    await post(key)
    await sql.query(`update member set role = 'VIEWER' where user_id = $1`, [ann.session.user.id])
    expect(told(await post(key))).toEqual([403, 'role_required'])
  })

  test('is forgotten after a day', async () => {
    const key = randomUUID()
    await post(key)
    await sql.query(`update idempotency_key set expires_at = now() - interval '1 second' where user_id = $1`, [
      ann.session.user.id,
    ])
    const later = await post(key)
    expect([later.status, replayed(later)]).toEqual([201, null])
    expect(await count()).toBe(2)
  })

  test('is refused with an invalid key; a route that takes no key ignores it', async () => {
    for (const key of ['x'.repeat(256), 'two words', 'é']) {
      const answer = await ann.call<Problem>(
        'POST',
        '/posts',
        {},
        { 'idempotency-key': encodeURI(key) === key ? key : 'a b' },
      )
      expect(told(answer)).toEqual([400, 'malformed_request'])
    }
    expect((await ann.call('GET', '/posts', undefined, { 'idempotency-key': 'a b' })).status).toBe(200)
  })
})

describe('after a crash', () => {
  test('between commit and answer, a repeat gets the result of the first request and creates nothing', async () => {
    const key = randomUUID()
    const first = await post(key)
    // As the transaction left the row: the answer was not stored yet.
    await sql.query(`update idempotency_key set status = null, headers = null where user_id = $1`, [
      ann.session.user.id,
    ])
    const again = await post(key)
    expect([again.status, replayed(again)]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
    expect(await count()).toBe(1)
  })

  test('a repeat whose answer was never stored gets what the first call answered, also for an act on another workspace', async () => {
    const bea = await newPerson(product.url, 'Bea')
    await confirmEmail(ann)
    const email = bea.session.user.email as string
    await ann.must('POST', `/workspaces/${ann.workspaceId}/members`, { email, role: 'ADMIN' })
    const token = await eventually(
      async () => /invite\/([\w-]+)/.exec((await mailTo(product.url, email))[0]?.text ?? '')?.[1],
    )
    const bin = await ann.must<Workspace>('POST', '/workspaces', { name: 'bin' })
    await ann.must('DELETE', `/workspaces/${bin.id}?confirmName=bin`)
    // Keeps the mark of the transaction and drops the update that follows it.
    await sql.query(`create function no_answer() returns trigger language plpgsql as
      $$ begin if new.status is not null then return null; end if; return new; end $$`)
    await sql.query(
      'create trigger no_answer before update on idempotency_key for each row execute function no_answer()',
    )
    const twice = async (person: Person, path: string, body?: unknown) => {
      const key = randomUUID()
      const first = await person.call('POST', path, body, { 'idempotency-key': key })
      const again = await person.call('POST', path, body, { 'idempotency-key': key })
      expect([path, replayed(again), again.status, again.body]).toEqual([path, 'true', 200, first.body])
    }
    try {
      await twice(bea, `/invitations/${token}/accept`)
      await twice(ann, `/workspaces/${bin.id}/restore`)
      await twice(ann, '/notifications/read')
    } finally {
      await sql.query('drop trigger no_answer on idempotency_key')
    }
  })

  test('before the commit, the key is free again after a minute and no sooner', async () => {
    const key = randomUUID()
    await post(key)
    const claimed = (age: string) =>
      sql.query(
        `update idempotency_key set done_at = null, status = null, headers = null, body = null,
          claimed_until = now() + $2::interval where user_id = $1`,
        [ann.session.user.id, age],
      )
    await claimed('5 seconds')
    expect(told(await post(key))).toEqual([409, 'idempotency_in_progress'])
    await claimed('-1 second')
    expect((await post(key)).status).toBe(201)
  })

  test('effect and key exist together or not at all, even if the process is killed before it answers', async () => {
    await sql.query(`create function slow_answer() returns trigger language plpgsql as
      $$ begin if new.status is not null then perform pg_sleep(1); end if; return new; end $$`)
    await sql.query(
      `create trigger slow_answer before update on idempotency_key for each row execute function slow_answer()`,
    )
    const second = await startProduct({ databaseUrl: database.url, env: secrets })
    const kim = await newPerson(second.url, 'Kim')
    const keys = Array.from({ length: 30 }, () => randomUUID())
    const sent = keys.map((key) => post(key, { caption: key }, kim).catch(() => undefined))
    const made = async () =>
      Number((await sql.query('select count(*) from post where workspace_id = $1', [kim.workspaceId])).rows[0].count)
    while ((await made()) < 5) await sleep(5)
    await second.kill()
    await Promise.all(sent)
    await sql.query('drop trigger slow_answer on idempotency_key')
    await sql.query(`update idempotency_key set claimed_until = now() where done_at is null`)
    const before = await made()
    expect(before).toBeLessThan(30)

    const same = asPerson(product.url, kim.session, kim.workspaceId)
    const answers = await Promise.all(keys.map((key) => post(key, { caption: key }, same)))
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 201))
    expect(answers.filter((answer) => replayed(answer))).toHaveLength(before)
    const { data } = await same.must<{ data: Post[] }>('GET', '/posts?limit=100')
    expect(data.map(({ caption }) => caption).toSorted()).toEqual(keys.toSorted())
  })
})
