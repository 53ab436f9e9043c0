import { randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT, UnsecuredJWT, decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import { type Answer, call, eventually, newPerson, PASSWORD, type Person, type Problem } from '../../../test/world.ts'
import { hashSecret } from '../../core/platform/crypto.ts'
import type { Workspace } from '../workspaces/api.ts'
import type { Profile, Session } from './api.ts'
import { hashPassword, inPlace } from './passwords.ts'

const SECOND = 1_000
const DAY = 86_400 * SECOND
const ACCESS_SECRET = 'the secret of access tokens, 32 bytes or more'
const REFRESH_SECRET = 'the secret of refresh tokens, 32 bytes or more'

let database: TestDatabase
let product: Running
let sql: pg.Client
let ann: Person

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({
    databaseUrl: database.url,
    env: { JWT_SECRET: ACCESS_SECRET, JWT_REFRESH_SECRET: REFRESH_SECRET, PASSWORD_KIB: '19456' },
  })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  ann = await newPerson(product.url)
})

afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
})

const auth = <T>(what: string, body?: unknown, headers?: Record<string, string>) =>
  call<T>(product.url, 'POST', `/api/v1/auth/${what}`, body, headers)

const address = () => `${randomUUID()}@example.test`
const register = <T = Session>(body: object) => auth<T>('register', { email: address(), password: PASSWORD, ...body })
const login = <T = Session>(email: string | null, password = PASSWORD) => auth<T>('login', { email, password })
const setCookie = (answer: Answer) => answer.headers.getSetCookie()[0] ?? ''
/** The refresh cookie of an answer, as a browser would send it back. */
const cookieOf = (answer: Answer) => setCookie(answer).split(';', 1)[0] as string
const refresh = <T = Session>(cookie: string, headers: Record<string, string> = {}) =>
  auth<T>('refresh', undefined, { cookie, ...headers })
const me = <T = Profile>(accessToken: string) =>
  call<T>(product.url, 'GET', '/api/v1/auth/me', undefined, { authorization: `Bearer ${accessToken}` })
const told = (answer: Answer) => [answer.status, (answer.body as Problem).code]
const faults = (answer: Answer) => (answer.body as Problem).errors?.map(({ path, code }) => `${path} ${code}`)

/** Moves the product's clock this far ahead. */
async function move(shift: number): Promise<void> {
  await sql.query('update app_clock set shift = make_interval(secs => $1::float8 / 1000)', [shift])
  await eventually(async () => {
    const { accessToken } = (await login(ann.session.user.email)).body
    return Math.abs(Number(decodeJwt(accessToken).iat) * SECOND - Date.now() - shift) < 3 * SECOND
  })
}

/** Runs with the product's clock moved forward, then moves it back. */
async function later(milliseconds: number, work: () => Promise<void>): Promise<void> {
  await move(milliseconds)
  try {
    await work()
  } finally {
    await move(0)
  }
}

describe('registering', () => {
  test('answers with a session and creates a first workspace, owned by the person', async () => {
    const email = address()
    const answer = await register({ email, name: 'Bea', timezone: 'Asia/Dubai' })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { user, workspaces, ...session } = answer.body
    expect(session).toEqual({ accessToken: expect.any(String), tokenType: 'Bearer', expiresIn: 900 })
    expect(workspaces).toMatchObject([{ name: 'Bea’s workspace', role: 'OWNER', plan: 'pro' }])
    expect(user).toMatchObject({ email, name: 'Bea', timezone: 'Asia/Dubai', isSuperAdmin: false, workspaces })
    expect(user.defaultWorkspaceId).toBe(workspaces[0]?.id)
    expect((await me(answer.body.accessToken)).body).toEqual(user)
  })

  test('names the first workspace in the language of the person', async () => {
    const named = await register({ email: address(), name: 'أحمد', language: 'ar' })
    expect(named.body.workspaces).toMatchObject([{ name: 'مساحة عمل أحمد' }])
    const nameless = await register({ email: address(), language: 'ar' })
    expect(nameless.body.workspaces).toMatchObject([{ name: 'مساحة عملي' }])
  })

  test('an address has one account, whatever its case and surrounding space', async () => {
    const email = address()
    expect((await register({ email: ` ${email.toUpperCase()} ` })).body.user.email).toBe(email)
    expect(told(await register({ email }))).toEqual([409, 'email_taken'])
    expect(told(await register({ email: `\t${email.replace('example', 'EXAMPLE')}\n` }))).toEqual([409, 'email_taken'])
    expect((await login(` ${email.toUpperCase()}`)).status).toBe(200)
  })

  test('of ten registrations of one address at once, one succeeds and the others leave nothing behind', async () => {
    const email = address()
    const answers = await Promise.all(Array.from({ length: 10 }, () => register({ email, name: 'Twin' })))
    expect(answers.filter((each) => each.status === 201)).toHaveLength(1)
    expect(answers.filter((each) => each.status === 409)).toHaveLength(9)
    const { rows } = await sql.query(`select from workspace where name = 'Twin’s workspace'`)
    expect(rows).toHaveLength(1)
  })

  test.each([
    ['of nine characters', 'xk2vq9zmw', 'too_short'],
    ['of 129 characters', 'xk2vq9zmw!'.repeat(13).slice(0, 129), 'too_long'],
    ['that is common', '1234567890', 'too_common'],
    ['that is common but for its case', 'QwertyUIOP', 'too_common'],
    ['that is a common one with a number behind it', 'password123456', 'too_common'],
    ['that is a common one with signs for letters', 'P@ssw0rd1234', 'too_common'],
  ])('a password %s is refused', async (_, password, code) => {
    const answer = await register({ password })
    expect([answer.status, faults(answer)]).toEqual([422, [`/password ${code}`]])
  })

  test('a password may have any 128 characters, and is compared whole', async () => {
    const email = address()
    const password = '🦊🐙🌵🚲🎻🧭🪁🥐'.repeat(16)
    expect((await register({ email, password })).status).toBe(201)
    expect((await login(email, password)).status).toBe(200)
    expect((await login(email, Array.from(password).slice(0, 127).join(''))).status).toBe(401)
  })

  test('unknown fields are refused', async () => {
    const answer = await register({ isSuperAdmin: true, emailConfirmed: true })
    expect([answer.status, faults(answer)]).toEqual([
      422,
      ['/isSuperAdmin unknown_field', '/emailConfirmed unknown_field'],
    ])
  })

  test('the refresh token is in a cookie that scripts, other sites and other paths cannot see', async () => {
    const answer = await register({})
    const [value, ...attributes] = setCookie(answer).split('; ')
    expect(value).toMatch(/^refresh_token=eyJ/)
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/api/v1/auth']))
    expect(attributes).not.toContain('Secure') // over plain http, a browser would drop a secure cookie
    expect(JSON.stringify(answer.body)).not.toContain(value?.split('=')[1])
  })

  test('the password is stored only as argon2id and is in no answer', async () => {
    const answer = await register({})
    const { rows } = await sql.query<{ whole: string; hash: string }>(
      `select password_hash as hash, row_to_json(u)::text as whole from app_user u where id = $1`,
      [answer.body.user.id],
    )
    expect(rows[0]?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(rows[0]?.whole).not.toContain(PASSWORD)
    const again = await login(answer.body.user.email)
    for (const text of [answer, again, await me(answer.body.accessToken)].map((each) => JSON.stringify(each.body))) {
      expect(text).not.toMatch(/argon2|password|hash/i)
    }
  })
})

describe('signing in', () => {
  test('an unknown address and a wrong password get the same answer, byte for byte', async () => {
    const known = await login<Problem>(ann.session.user.email, 'not the password')
    const unknown = await login<Problem>(address(), 'not the password')
    expect(told(known)).toEqual([401, 'invalid_credentials'])
    const seen = ({ status, headers, body }: Answer<Problem>) => [
      status,
      [...headers.keys()],
      headers.get('content-length'),
      JSON.stringify({ ...body, requestId: '' }),
    ]
    expect(seen(unknown)).toEqual(seen(known))
  })

  test('both take the same time, with a hash and a log entry', async () => {
    // The lower quartile: other load of the machine makes single calls slower, never faster.
    const quartileOf = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)] as number
    const timed = async (email: string | null) => {
      const started = performance.now()
      await login(email, 'not the password')
      return performance.now() - started
    }
    const known: number[] = []
    const unknown: number[] = []
    const turns = 40
    for (let i = 0; i < turns; i += 1) {
      if (i % 5 === 0) await sql.query('delete from try_count') // five wrong passwords are the limit
      known.push(await timed(ann.session.user.email))
      unknown.push(await timed(address()))
    }
    await sql.query('delete from try_count')
    const ratio = quartileOf(unknown) / quartileOf(known)
    // Without the hash, an unknown address takes less than a third of the time.
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
    const { rows } = await sql.query(`select from security_event where action = 'login.failed' and user_id is null`)
    expect(rows.length).toBeGreaterThanOrEqual(turns)
  })

  test('a disabled account is revealed only to holders of its password, and closes at once', async () => {
    const { body } = await register({})
    await sql.query('update app_user set disabled_at = now() where id = $1', [body.user.id])
    expect(told(await login(body.user.email))).toEqual([401, 'account_disabled'])
    expect(told(await login(body.user.email, 'not the password'))).toEqual([401, 'invalid_credentials'])
    expect(told(await me(body.accessToken))).toEqual([401, 'account_disabled'])
  })

  test('a value that is not text is a fault of the request, whatever its place', async () => {
    expect(faults(await login('a\0@example.test'))).toEqual(['/email not_text'])
    expect(faults(await register({ name: 'x\0', timezone: 'U\ud800TC' }))).toEqual([
      '/name not_text',
      '/timezone not_text',
    ])
    const overrides = { captionOverrides: { NET_PAGE: { caption: 'half \udc00' } } }
    expect(faults(await ann.call('POST', '/posts', overrides))).toEqual(['/captionOverrides/NET_PAGE/caption not_text'])
    expect((await ann.call('GET', '/posts?text=%00')).status).toBe(422)
    expect((await register({ name: '🦊 ا' })).status).toBe(201)
  })

  test('each sign-in has its own session', async () => {
    const { body } = await register({})
    const other = await login(body.user.email)
    await auth('logout', undefined, { cookie: cookieOf(other) })
    expect(told(await me(other.body.accessToken))).toEqual([401, 'session_revoked'])
    expect((await me(body.accessToken)).status).toBe(200)
  })
})

describe('refreshing', () => {
  test('rotates the token, and both access tokens belong to the person', async () => {
    const first = await register({})
    const second = await refresh(cookieOf(first))
    expect(second.status).toBe(200)
    expect(second.body.user).toEqual(first.body.user)
    expect(cookieOf(second)).not.toBe(cookieOf(first))
    expect((await me(second.body.accessToken)).body.id).toBe(first.body.user.id)
  })

  test('tabs that refresh at the same time get the same successor', async () => {
    const first = await register({})
    const tabs = await Promise.all(Array.from({ length: 8 }, () => refresh(cookieOf(first))))
    expect(tabs.map((tab) => tab.status)).toEqual(tabs.map(() => 200))
    expect(new Set(tabs.map(cookieOf)).size).toBe(1)
    expect((await refresh(cookieOf(tabs[0] as Answer))).status).toBe(200)
  })

  test('a token older than the previous one counts as stolen and ends the session', async () => {
    const first = await register({})
    const second = await refresh(cookieOf(first))
    const third = await refresh(cookieOf(second))
    expect(told(await refresh(cookieOf(first)))).toEqual([401, 'refresh_invalid'])
    expect(told(await refresh(cookieOf(third)))).toEqual([401, 'refresh_invalid'])
    expect(told(await me(third.body.accessToken))).toEqual([401, 'session_revoked'])
    const { rows } = await sql.query(
      `select action from security_event where user_id = $1 and action = 'session.reuse'`,
      [first.body.user.id],
    )
    expect(rows).toHaveLength(1)
  })

  test('after ten seconds the previous token counts as stolen too', async () => {
    const first = await register({})
    const second = await refresh(cookieOf(first))
    await sql.query(`update session set issued_at = issued_at - interval '11 seconds' where user_id = $1`, [
      first.body.user.id,
    ])
    expect(told(await refresh(cookieOf(first)))).toEqual([401, 'refresh_invalid'])
    expect(told(await refresh(cookieOf(second)))).toEqual([401, 'refresh_invalid'])
  })

  test('a session ends after 30 days without use', async () => {
    const idle = await register({})
    let used: Answer<Session> = await register({})
    await later(29 * DAY, async () => {
      used = await refresh(cookieOf(used))
      expect(used.status).toBe(200)
      await move(31 * DAY)
      expect(told(await refresh(cookieOf(idle)))).toEqual([401, 'refresh_invalid'])
      expect((await refresh(cookieOf(used))).status).toBe(200)
    })
  })

  test('use does not prolong a session beyond 90 days', async () => {
    let used: Answer<Session> = await register({})
    await later(29 * DAY, async () => {
      used = await refresh(cookieOf(used))
      for (const days of [58, 87]) {
        await move(days * DAY)
        used = await refresh(cookieOf(used))
      }
      expect(used.status).toBe(200)
      const expires = Date.parse(/expires=([^;]+)/i.exec(setCookie(used))?.[1] ?? '')
      expect(Math.abs(expires - Date.now() - 90 * DAY)).toBeLessThan(60 * SECOND)
      await move(91 * DAY)
      expect(told(await refresh(cookieOf(used)))).toEqual([401, 'refresh_invalid'])
      expect(told(await me(used.body.accessToken))).toEqual([401, 'token_expired'])
    })
  })

  test.each([
    ['no cookie', ''],
    ['nonsense', 'refresh_token=nonsense'],
  ])('%s refreshes nothing', async (_, cookie) => {
    expect(told(await refresh(cookie))).toEqual([401, 'refresh_invalid'])
  })
})

describe('an endpoint that reads or sets the cookie', () => {
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]

  test.each(foreign)('refuses a foreign page: %j', async (headers) => {
    const cookie = cookieOf(await register({}))
    const body = { email: ann.session.user.email, password: PASSWORD }
    expect(told(await refresh(cookie, headers))).toEqual([403, 'origin_refused'])
    expect(told(await auth('logout', undefined, { cookie, ...headers }))).toEqual([403, 'origin_refused'])
    expect(told(await auth('login', body, headers))).toEqual([403, 'origin_refused'])
    expect(told(await auth('register', { ...body, email: address() }, headers))).toEqual([403, 'origin_refused'])
    expect((await refresh(cookie)).status).toBe(200) // nothing was rotated or ended
  })

  test('accepts our own page, and clients that are not browsers', async () => {
    const { origin } = new URL(product.url)
    const own = await refresh(cookieOf(await register({})), { origin, 'sec-fetch-site': 'same-origin' })
    expect(own.status).toBe(200)
    expect((await refresh(cookieOf(own))).status).toBe(200)
  })
})

describe('signing out', () => {
  test('ends the session of the cookie: its access token is refused at once, and the cookie is cleared', async () => {
    const session = await register({})
    const answer = await auth('logout', undefined, { cookie: cookieOf(session) })
    expect(answer.status).toBe(204)
    expect(setCookie(answer)).toMatch(/^refresh_token=;.*Path=\/api\/v1\/auth;.*Expires=Thu, 01 Jan 1970/)
    expect(told(await me(session.body.accessToken))).toEqual([401, 'session_revoked'])
    expect(told(await refresh(cookieOf(session)))).toEqual([401, 'refresh_invalid'])
  })

  test('ends the session of the access token if there is no cookie', async () => {
    const { body } = await register({})
    expect((await auth('logout', undefined, { authorization: `Bearer ${body.accessToken}` })).status).toBe(204)
    expect(told(await me(body.accessToken))).toEqual([401, 'session_revoked'])
  })

  test('always succeeds: twice, with nothing, with nonsense', async () => {
    const cookie = cookieOf(await register({}))
    const answers = [
      await auth('logout', undefined, { cookie }),
      await auth('logout', undefined, { cookie }),
      await auth('logout'),
      await auth('logout', {}, { cookie: 'refresh_token=x', authorization: 'Bearer x' }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([204, 204, 204, 204])
  })
})

describe('an access token', () => {
  const now = () => Math.floor(Date.now() / SECOND)
  const claims = (more: JWTPayload = {}): JWTPayload => {
    const { sub, sid } = decodeJwt(ann.session.accessToken)
    return { iss: 'parley', aud: 'parley', sub, sid, iat: now(), exp: now() + 600, ...more }
  }
  const signed = (payload: JWTPayload, { secret = ACCESS_SECRET, alg = 'HS256', typ = 'at+jwt', ...header } = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg, typ, ...header }).sign(new TextEncoder().encode(secret))

  test('made by these helpers is accepted; each forgery below differs from it in one thing', async () => {
    expect((await me(await signed(claims()))).status).toBe(200)
  })

  const forgeries: [string, () => string | Promise<string>][] = [
    ['not signed at all', () => new UnsecuredJWT(claims()).encode()],
    ['signed with another secret', () => signed(claims(), { secret: 'a secret that somebody else has made up' })],
    ['signed with the secret of refresh tokens', () => signed(claims(), { secret: REFRESH_SECRET })],
    ['signed with another algorithm', () => signed(claims(), { alg: 'HS512' })],
    ['of another type', () => signed(claims(), { typ: 'rt+jwt' })],
    ['of another issuer', () => signed(claims({ iss: 'somebody' }))],
    ['for another audience', () => signed(claims({ aud: 'somebody' }))],
    ['without an end', () => signed(claims({ exp: undefined }))],
    ['without a person', () => signed(claims({ sub: undefined }))],
    ['without a session', () => signed(claims({ sid: undefined }))],
    ['not valid yet', () => signed(claims({ nbf: now() + 300 }))],
    ['cut short', () => ann.session.accessToken.slice(0, -2)],
    ['empty', () => ''],
  ]
  test.each(forgeries)('%s is refused', async (_, forge) => {
    const answer = await me(await forge())
    expect(told(answer)).toEqual([401, 'unauthenticated'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('cannot be a refresh token', async () => {
    const token = cookieOf(await register({})).replace('refresh_token=', '')
    expect(told(await me(token))).toEqual([401, 'unauthenticated'])
  })

  test('of another person’s session is refused', async () => {
    const bea = await newPerson(product.url, 'Bea')
    const token = await signed(claims({ sub: bea.session.user.id }))
    expect(told(await me(token))).toEqual([401, 'session_revoked'])
  })

  test('lives 15 minutes and is then refused as expired, even if it was verified before', async () => {
    const { accessToken } = (await login(ann.session.user.email)).body
    expect((await me(accessToken)).status).toBe(200)
    await later(14 * 60 * SECOND, async () => expect((await me(accessToken)).status).toBe(200))
    await later(15 * 60 * SECOND + SECOND, async () => {
      const answer = await me(accessToken)
      expect(told(answer)).toEqual([401, 'token_expired'])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    })
  })
})

describe('the profile', () => {
  const change = <T = Profile>(person: Person, body: object) => person.call<T>('PATCH', '/api/v1/auth/me', body)

  test('a change affects only the given fields, also with several changes at once', async () => {
    const bea = await newPerson(product.url, 'Bea')
    const parts = [{ name: 'Beatrice' }, { language: 'ar' }, { timezone: 'Asia/Riyadh' }]
    await Promise.all(parts.map((part) => change(bea, part)))
    const expected = { ...bea.session.user, name: 'Beatrice', language: 'ar', timezone: 'Asia/Riyadh' }
    expect((await change(bea, {})).body).toEqual(expected)
  })

  test('can be sent back whole; a changed read-only field and an unknown one are faults', async () => {
    expect((await change(ann, ann.session.user)).body).toEqual(ann.session.user)
    const wanted = { isSuperAdmin: true, emailConfirmed: true, email: address(), id: randomUUID() }
    const readOnly = await change<Problem>(ann, wanted)
    expect([readOnly.status, faults(readOnly)?.toSorted()]).toEqual([
      422,
      ['/email read_only', '/emailConfirmed read_only', '/id read_only', '/isSuperAdmin read_only'],
    ])
    expect(faults(await change(ann, { passwordHash: 'x' }))).toEqual(['/passwordHash unknown_field'])
    expect((await me(ann.session.accessToken)).body).toEqual(ann.session.user)
  })

  test('accepts only IANA names as time zones', async () => {
    for (const timezone of ['Mars/Olympus', '+01:00', '']) {
      expect(faults(await change(ann, { timezone }))).toEqual(['/timezone unknown_timezone'])
    }
  })

  test('accepts only the person’s own workspaces as default; a foreign one is refused like an unknown one', async () => {
    const bea = await newPerson(product.url, 'Bea')
    const second = await bea.must<Workspace>('POST', '/workspaces', { name: 'Second' })
    expect((await change(bea, { defaultWorkspaceId: second.id })).body.defaultWorkspaceId).toBe(second.id)
    const [foreign, nobody] = [
      await change<Problem>(bea, { defaultWorkspaceId: ann.workspaceId }),
      await change<Problem>(bea, { defaultWorkspaceId: randomUUID() }),
    ]
    expect([foreign.status, faults(foreign)]).toEqual([422, ['/defaultWorkspaceId unknown_id']])
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...nobody.body, requestId: '' })
  })
})

describe('hashing', () => {
  test('has 34 places; the next waits a moment for one, and is then told to retry', async () => {
    let leave = () => {}
    const left = new Promise<void>((resolve) => (leave = resolve))
    const inside = Array.from({ length: 34 }, () => inPlace(() => left))
    await expect(inPlace(async () => 'a place')).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    const next = inPlace(async () => 'a place')
    leave()
    expect(await next).toBe('a place')
    await Promise.all(inside)
    expect(await hashPassword(PASSWORD, { passwordKib: 64 })).toMatch(/^\$argon2id/)
  })

  test('a flood of sign-ins is turned away while everything else answers', async () => {
    const emails = Array.from({ length: 200 }, address)
    const logged = product.output().length
    const flood = emails.map((email) => login<Problem>(email))
    // Once one is turned away, all places are taken and the rest is still being hashed.
    await Promise.any(flood.map(async (each) => (await each).status === 503 || Promise.reject(new Error('in time'))))
    expect((await me(ann.session.accessToken)).status).toBe(200)
    const answers = await Promise.all(flood)
    const busy = answers.filter((answer) => answer.status === 503)
    expect(busy.length).toBeGreaterThan(0)
    expect(busy[0]?.body.code).toBe('unavailable')
    expect(Number(busy[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    // Each has a short line in the log, without a stack.
    const refusals = () => product.output().slice(logged).split('"msg":"refused"').length - 1
    await expect.poll(refusals).toBe(busy.length)
    expect(product.output().slice(logged)).not.toContain('"stack"')
    expect(answers.filter((answer) => answer.status === 401).length).toBe(answers.length - busy.length)
    // Those that were turned away used up no try of their account.
    const { rows } = await sql.query('select from try_count where key = any ($1)', [
      emails.map((email) => hashSecret(`login:${email}`)),
    ])
    expect(rows).toHaveLength(answers.length - busy.length)
    expect((await login(ann.session.user.email)).status).toBe(200)
  })
})
