import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import {
  type Answer,
  asPerson,
  call,
  confirmEmail,
  eventually,
  mailTo,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
} from '../../../test/world.ts'
import type { Session, SignIn } from './api.ts'
import { deviceOf } from './device.ts'

const { product, sql } = useProduct()

beforeEach(() => sql.query('delete from try_count'))

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

const told = ({ status, body }: Answer) => [status, (body as Problem).code]
const emailOf = (person: Person) => person.session.user.email as string
const login = (email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  call<Session>(product.url, 'POST', '/api/v1/auth/login', { email, password }, headers)
const elsewhere = async (person: Person, userAgent = FIREFOX) =>
  asPerson(product.url, (await login(emailOf(person), PASSWORD, { 'user-agent': userAgent })).body)
const sessions = async (person: Person) => (await person.must<{ data: SignIn[] }>('GET', '/api/v1/auth/sessions')).data
const end = (person: Person, id: string) => person.call('DELETE', `/api/v1/auth/sessions/${id}`)
const seen = async (person: Person) => told(await person.call('GET', '/api/v1/auth/me'))

describe('sessions', () => {
  test('are listed with device, place, way in and times, the current one first', async () => {
    const ann = await newPerson(product.url)
    await elsewhere(ann, SAFARI)
    await elsewhere(ann)
    const all = await sessions(ann)
    expect(all.map(({ device }) => device)).toEqual([
      { browser: null, system: null },
      { browser: 'Firefox', system: 'Linux' },
      { browser: 'Safari', system: 'iPhone' },
    ])
    expect(all.map(({ current }) => current)).toEqual([true, false, false])
    for (const one of all) {
      expect(one).toMatchObject({ place: '127.0.0.1', method: 'password' })
      expect(Date.parse(one.lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(one.createdAt))
    }
    expect(JSON.stringify(all)).not.toMatch(/token/i)
  })

  test('one is ended: its next request is refused, and it leaves the list', async () => {
    const ann = await newPerson(product.url)
    const other = await elsewhere(ann)
    expect(await seen(other)).toEqual([200, undefined])
    const found = (await sessions(ann)).find(({ current }) => !current) as SignIn
    const ended = await end(ann, found.id)
    expect([ended.status, ended.body]).toEqual([204, ''])
    expect(await seen(other)).toEqual([401, 'session_revoked'])
    expect(await seen(ann)).toEqual([200, undefined])
    expect(await sessions(ann)).toHaveLength(1)
    expect(told(await end(ann, found.id))).toEqual([404, 'not_found'])
    const { rows } = await sql.query(
      `select detail from security_event where action = 'session.ended' and user_id = $1`,
      [ann.session.user.id],
    )
    expect(rows).toEqual([{ detail: { sessionId: found.id } }])
  })

  test('all others are ended at once, and the current one stays', async () => {
    const ann = await newPerson(product.url)
    const others = await Promise.all([elsewhere(ann), elsewhere(ann), elsewhere(ann)])
    expect((await ann.call('DELETE', '/api/v1/auth/sessions')).status).toBe(204)
    for (const other of others) expect(await seen(other)).toEqual([401, 'session_revoked'])
    expect(await sessions(ann)).toMatchObject([{ current: true }])
  })

  test('ten that end each other at once leave one, and none is told to retry later', async () => {
    const ann = await newPerson(product.url)
    const all = [ann]
    while (all.length < 10) all.push(await elsewhere(ann))
    const holder = await sql.connect()
    await holder.query('begin')
    await holder.query('select from session where user_id = $1 for update', [ann.session.user.id])
    const sent = all.map((one) => one.call<Problem>('DELETE', '/api/v1/auth/sessions'))
    await eventually(async () => {
      const { rows } = await sql.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length >= 10
    })
    await holder.query('commit')
    holder.release()
    const answers = await Promise.all(sent)
    const told = answers.map(({ status, body }) => (status === 204 ? '204' : `${status} ${body.code}`))
    expect(told.toSorted()).toEqual(['204', ...Array.from({ length: 9 }, () => '401 session_revoked')])
  })

  test('of others, unknown ones and invalid ids get the same answer byte for byte, and end nothing', async () => {
    const [ann, bea] = [await newPerson(product.url), await newPerson(product.url, 'Bea')]
    const [theirs] = await sessions(bea)
    const answers = []
    for (const id of [theirs?.id ?? '', randomUUID(), '1']) {
      const { status, body } = await end(ann, id)
      answers.push(JSON.stringify([status, { ...(body as Problem), requestId: '' }]))
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('not_found')
    expect(await seen(bea)).toEqual([200, undefined])
  })

  test('unused for 30 days are not listed', async () => {
    const ann = await newPerson(product.url)
    await elsewhere(ann)
    await sql.query(
      `update session set issued_at = issued_at - interval '31 days' where user_id = $1 and user_agent = $2`,
      [ann.session.user.id, FIREFOX],
    )
    expect(await sessions(ann)).toHaveLength(1)
  })
})

test('a reused old refresh token ends its family, which is recorded, mailed and announced', async () => {
  const ann = await newPerson(product.url)
  await confirmEmail(ann)
  const cookieOf = (answer: Answer) => (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] as string
  const refresh = (cookie: string) => call<Session>(product.url, 'POST', '/api/v1/auth/refresh', {}, { cookie })
  const stolen = cookieOf(await login(emailOf(ann)))
  const second = await refresh(stolen)
  const third = await refresh(cookieOf(second))
  expect(third.status).toBe(200)
  expect(told(await refresh(stolen))).toEqual([401, 'refresh_invalid'])
  expect(told(await refresh(cookieOf(third)))).toEqual([401, 'refresh_invalid'])
  const robbed = asPerson(product.url, third.body)
  expect(await seen(robbed)).toEqual([401, 'session_revoked'])
  expect(await seen(ann)).toEqual([200, undefined])
  const letters = await eventually(async () => {
    const all = await mailTo(product.url, emailOf(ann))
    return all.length > 0 && all
  })
  expect(letters.map(({ subject }) => subject)).toEqual(['We signed a device out of your Parley account'])
  const { rows } = await sql.query(
    `select (select count(*)::int from security_event where user_id = $1 and action = 'session.reuse') as noted,
      (select json_agg(data) from notification where user_id = $1 and kind = 'security') as told`,
    [ann.session.user.id],
  )
  expect(rows).toEqual([{ noted: 1, told: [{ change: 'session_reuse' }] }])
})

describe('sign-in tries', () => {
  const rated = (answer: Answer) => [...told(answer), Number(answer.headers.get('retry-after')) > 0]

  test('after five wrong passwords in 15 minutes even the right one is refused; four do no harm', async () => {
    const ann = await newPerson(product.url)
    for (let i = 0; i < 4; i += 1) expect((await login(emailOf(ann), `wrong ${i} wrong`)).status).toBe(401)
    expect((await login(emailOf(ann))).status).toBe(200)
    expect((await login(emailOf(ann), 'once more wrong')).status).toBe(401)
    expect(rated(await login(emailOf(ann)))).toEqual([429, 'rate_limited', true])
    expect(await seen(ann)).toEqual([200, undefined]) // a signed-in person stays signed in
    await sql.query(`update try_count set ends_at = now() - interval '1 minute'`)
    expect((await login(emailOf(ann))).status).toBe(200)
  })

  test('an address without an account is limited too', async () => {
    const email = `${randomUUID()}@example.test`
    const statuses = []
    for (let i = 0; i < 6; i += 1) statuses.push((await login(email)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  test('failures are limited per network address and minute, before any hash is spent', async () => {
    await login(`${randomUUID()}@example.test`)
    await sql.query(`update try_count set tries = 600 where ends_at < now() + interval '2 minutes'`)
    const answers = await Promise.all(Array.from({ length: 60 }, () => login(`${randomUUID()}@example.test`)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429])) // no 503 of the full queue
    const code = await call(product.url, 'POST', '/api/v1/auth/login/phone', { phone: '+491701234567', code: '000000' })
    expect(rated(code)).toEqual([429, 'rate_limited', true])
  })

  test('successful sign-ins do not count', async () => {
    const ann = await newPerson(product.url)
    for (let i = 0; i < 8; i += 1) expect((await login(emailOf(ann))).status).toBe(200)
  })
})

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0 Safari/537.36 Edg/143.0',
    'Edge',
    'Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36',
    'Samsung Internet',
    'Android',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari',
    'macOS',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
    'Chrome',
    'macOS',
  ],
  [SAFARI, 'Safari', 'iPhone'],
  ['something else', null, null],
])('%s', (userAgent, browser, system) => {
  expect(deviceOf(userAgent)).toEqual({ browser, system })
})
