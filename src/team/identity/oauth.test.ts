import { randomUUID } from 'node:crypto'
import type { JWTPayload } from 'jose'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Lie, startPeer } from '../../../test/openid-peer.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import {
  addFault,
  type Answer,
  asPerson,
  call,
  eventually,
  mailTo,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
} from '../../../test/world.ts'
import type { Session, SignInMethods } from './api.ts'

type Provider = 'IDP_A' | 'IDP_B'

const { product, sql } = useProduct()

afterEach(() => call(`${product.url}/sandbox`, 'DELETE', '/faults'))

interface Start {
  authorizationUrl: string
  cookie: string
}

/** Leaves for a provider as a browser does; with a person, to join the provider to their account. */
async function leave(provider: string, { redirect = '/app', person, url = product.url }: Way = {}): Promise<Start> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (person) headers['authorization'] = `Bearer ${person.session.accessToken}`
  const path = `/api/v1/auth/oauth/${provider}?${new URLSearchParams({ redirect })}`
  const answer = await call<Start>(url, 'GET', path, undefined, headers)
  if (answer.status !== 200) throw new Error(`leaving answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return { ...answer.body, cookie: answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '' }
}
type Way = { redirect?: string; person?: Person; url?: string }

/** Returns the address to which the provider sends the browser back after this sandbox person has approved. */
async function approve({ authorizationUrl }: Start, user: string): Promise<URL> {
  const answer = await fetch(`${authorizationUrl}&sandbox_approve=1&sandbox_user=${user}`, { redirect: 'manual' })
  return new URL(answer.headers.get('location') ?? '')
}

const comeBack = (back: URL, cookie: string, url = product.url) =>
  call(url, 'GET', back.pathname + back.search, undefined, cookie ? { cookie } : {})

const where = (answer: Answer) => new URL(answer.headers.get('location') ?? '', 'http://own.invalid')
const errorOf = (answer: Answer) => where(answer).searchParams.get('error')
const refreshCookie = (answer: Answer) =>
  answer.headers
    .getSetCookie()
    .find((each) => each.startsWith('refresh_token='))
    ?.split(';', 1)[0]

async function travel(provider: Provider, user: string, way: Way = {}): Promise<Answer> {
  const start = await leave(provider, way)
  return comeBack(await approve(start, user), start.cookie)
}

async function sessionOf(answer: Answer): Promise<Person> {
  const cookie = refreshCookie(answer)
  if (!cookie) throw new Error(`no session came of it: ${answer.headers.get('location')}`)
  const refreshed = await call<Session>(product.url, 'POST', '/api/v1/auth/refresh', undefined, { cookie })
  return asPerson(product.url, refreshed.body)
}

const signIn = async (provider: Provider, user: string) => sessionOf(await travel(provider, user))

/**
 * People of the sandbox by the last digit of their number: 3 has no verified address (at IDP_B, another tenant), 4 has
 * no address.
 */
let next = 1000
const somebody = (last = 1) => `u${(next += 10) + last}`
const names = ['Alex', 'Robin', 'Sam', 'Kim', 'Jo', 'Charlie', 'Noor', 'Mika', 'Toni', 'Uli', 'Sasha', 'Luca']
const addressOf = (user: string) =>
  `${names[(Number(user.slice(1)) - 1) % names.length]!.toLowerCase()}.${user}@example.test`

const register = async (email: string) =>
  asPerson(
    product.url,
    (await call<Session>(product.url, 'POST', '/api/v1/auth/register', { email, password: PASSWORD })).body,
  )
const confirm = (email: string) => sql.query('update app_user set email_confirmed_at = now() where email = $1', [email])
const methods = (person: Person) => person.must<SignInMethods>('GET', '/api/v1/auth/methods')
const users = async () => (await sql.query<{ n: number }>('select count(*)::int as n from app_user')).rows[0]!.n

describe('signing in', () => {
  test('a new person gets an account with a workspace, and the same account the next time', async () => {
    const user = somebody()
    const first = await signIn('IDP_A', user)
    expect(first.session.user).toMatchObject({ email: addressOf(user), emailConfirmed: true, onboardedAt: null })
    expect(first.session.workspaces).toMatchObject([{ role: 'OWNER' }])
    const again = await signIn('IDP_A', user)
    expect(again.session.user.id).toBe(first.session.user.id)
    const { rows } = await sql.query('select distinct method from session where user_id = $1', [first.session.user.id])
    expect(rows).toEqual([{ method: 'IDP_A' }])
    expect(await methods(again)).toMatchObject({
      password: false,
      email: addressOf(user),
      identities: [{ provider: 'IDP_A', email: addressOf(user) }],
    })
  })

  test('only IDP_A can confirm an address', async () => {
    const [unverified, none, tenant] = [somebody(3), somebody(4), somebody()]
    expect((await signIn('IDP_A', unverified)).session.user).toMatchObject({
      email: addressOf(unverified),
      emailConfirmed: false,
    })
    expect((await signIn('IDP_A', none)).session.user).toMatchObject({ email: null, emailConfirmed: false })
    expect((await signIn('IDP_B', tenant)).session.user).toMatchObject({
      email: addressOf(tenant),
      emailConfirmed: false,
    })
  })

  test('two simultaneous returns of one new person create one account', async () => {
    const user = somebody()
    const starts = await Promise.all([leave('IDP_A'), leave('IDP_A')])
    const backs = await Promise.all(starts.map((start) => approve(start, user)))
    const people = await Promise.all(
      backs.map(async (back, index) => sessionOf(await comeBack(back, starts[index]!.cookie))),
    )
    expect(people[0]!.session.user.id).toBe(people[1]!.session.user.id)
  })

  test('providers’ names are not case-sensitive, and a browser is redirected at once', async () => {
    const answer = await call(product.url, 'GET', '/api/v1/auth/oauth/idp_a')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toContain('/sandbox/idp-a/auth?')
    expect(answer.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Lax/)
    const unknown = await call<Problem>(product.url, 'GET', '/api/v1/auth/oauth/IDP_C')
    expect(unknown.body).toMatchObject({ status: 404, code: 'unknown_provider' })
    const other = await call<Problem>(product.url, 'GET', '/api/v1/auth/oauth/FOO')
    expect(other.body).toMatchObject({ status: 404, code: 'unknown_provider' })
    const back = await call<Problem>(product.url, 'GET', '/api/v1/auth/oauth/FOO/callback?code=a&state=b')
    expect(back.body).toMatchObject({ status: 404, code: 'unknown_provider' })
  })

  test('a disabled account stays closed', async () => {
    const user = somebody()
    const { session } = await signIn('IDP_A', user)
    await sql.query('update app_user set disabled_at = now() where id = $1', [session.user.id])
    const answer = await travel('IDP_A', user)
    expect(errorOf(answer)).toBe('account_disabled')
    expect(refreshCookie(answer)).toBeUndefined()
  })

  test('a person who refuses at the provider returns to the sign-in page, which says so', async () => {
    const before = product.output().length
    const start = await leave('IDP_A', { redirect: '/app/w/x?y=1' })
    const { origin } = new URL(start.authorizationUrl)
    const refused = await fetch(start.authorizationUrl, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin },
      body: new URLSearchParams({ decision: 'refuse' }),
    })
    const answer = await comeBack(new URL(refused.headers.get('location') ?? ''), start.cookie)
    expect(where(answer).pathname).toBe('/app/login')
    expect(Object.fromEntries(where(answer).searchParams)).toEqual({
      error: 'access_denied',
      provider: 'IDP_A',
      to: '/w/x?y=1',
    })
    // A refusal needs no attention, and neither does the runtime of the stand-ins.
    const lines = product.output().slice(before).split('\n')
    // The process is shared, and logs the work of workspaces of other files.
    expect(lines.filter((line) => !line.includes('"workspaceId"')).join('')).toBe('')
    expect(product.output()).not.toContain('Unsupported runtime')
  })
})

describe('a return from a provider', () => {
  test('is accepted only from the browser that left', async () => {
    const [mine, theirs] = [await leave('IDP_A'), await leave('IDP_A')]
    const foreign = [
      () => theirs.cookie,
      () => '',
      ({ cookie }: Start) => `${cookie.split('=')[0]}=guessed`,
      ({ cookie }: Start) => `${cookie.split('=')[0]}=${theirs.cookie.split('=')[1]}`,
    ]
    for (const cookieOf of foreign) {
      const fresh = await leave('IDP_A')
      const answer = await comeBack(await approve(fresh, somebody()), cookieOf(fresh))
      expect(errorOf(answer)).toBe('link_expired')
      expect(refreshCookie(answer)).toBeUndefined()
    }
    expect(refreshCookie(await comeBack(await approve(mine, somebody()), mine.cookie))).toBeTruthy()
  })

  test('is accepted once, for ten minutes', async () => {
    const start = await leave('IDP_A')
    const back = await approve(start, somebody())
    expect(refreshCookie(await comeBack(back, start.cookie))).toBeTruthy()
    expect(errorOf(await comeBack(back, start.cookie))).toBe('link_expired')

    const late = await leave('IDP_A')
    const { rowCount } = await sql.query(`update oauth_state set expires_at = expires_at - interval '10 minutes'`)
    expect(rowCount).toBeGreaterThan(0)
    expect(errorOf(await comeBack(await approve(late, somebody()), late.cookie))).toBe('link_expired')
  })

  test('belongs to one provider: the code of one is not accepted by the other', async () => {
    const start = await leave('IDP_A')
    const back = await approve(start, somebody())
    back.pathname = back.pathname.replace('IDP_A', 'IDP_B')
    expect(errorOf(await comeBack(back, start.cookie))).toBe('link_expired')

    // The same with a valid state of IDP_B: the response itself names another issuer.
    const [a, b] = [await leave('IDP_A'), await leave('IDP_B')]
    const mixed = await approve(b, somebody())
    const foreign = await approve(a, somebody())
    mixed.searchParams.set('iss', foreign.searchParams.get('iss') ?? '')
    expect(errorOf(await comeBack(mixed, b.cookie))).toBe('sign_in_refused')
  })

  test('accepts no used code, and none that another browser requested', async () => {
    const [first, second] = [await leave('IDP_A'), await leave('IDP_A')]
    const used = await approve(first, somebody())
    const replayed = await approve(second, somebody())
    await comeBack(used, first.cookie)
    replayed.searchParams.set('code', used.searchParams.get('code') ?? '')
    expect(errorOf(await comeBack(replayed, second.cookie))).toBe('sign_in_refused')

    const [mine, theirs] = [await leave('IDP_A'), await leave('IDP_A')]
    const injected = await approve(mine, somebody())
    injected.searchParams.set('code', (await approve(theirs, somebody())).searchParams.get('code') ?? '')
    expect(errorOf(await comeBack(injected, mine.cookie))).toBe('sign_in_refused')
  })

  test.each([
    ['//evil.example', '/app'],
    ['/\\evil.example', '/app'],
    ['https://evil.example/app', '/app'],
    ['/app/../api/v1/auth/logout', '/app'],
    ['/app/..//evil.example', '/app'],
    ['/api/v1/auth/me', '/app'],
    ['/application', '/app'],
    ['javascript:alert(1)', '/app'],
    ['/app/me?x=1', '/app/me?x=1'],
  ])('leads into our own app: %s', async (redirect, expected) => {
    const answer = await travel('IDP_A', 'u7', { redirect })
    expect(answer.headers.get('location')).toBe(expected)
  })

  test.each([
    ['/token', { status: 503 }],
    ['/token', { drop: 'before' }],
    ['/token', { drop: 'after' }],
    ['/token', { status: 200, body: 'a page' }],
    ['/token', { status: 200, body: { access_token: 'x', token_type: 'bearer' } }],
  ])('a provider that fails at %s with %o is reported and leaves nothing behind', async (path, fault) => {
    const start = await leave('IDP_A')
    const back = await approve(start, somebody())
    const before = await users()
    await addFault(`${product.url}/sandbox`, { match: { network: 'IDP_A', path }, do: fault })
    const answer = await comeBack(back, start.cookie)
    expect(['network_error', 'sign_in_refused']).toContain(errorOf(answer))
    expect(refreshCookie(answer)).toBeUndefined()
    expect(await users()).toBe(before)
  })
})

describe('existing accounts', () => {
  test('IDP_A’s verified address joins the account that confirmed it, and the owner is notified', async () => {
    const user = somebody()
    const email = addressOf(user)
    const owner = await register(email)
    await confirm(email)
    const arrived = await signIn('IDP_A', user)
    expect(arrived.session.user.id).toBe(owner.session.user.id)
    const told = await eventually(async () =>
      (await mailTo(product.url, email)).find(({ text }) => text.includes('Google')),
    )
    expect(told.subject).toContain('sign in')
  })

  test('an address that IDP_A did not verify opens no existing account', async () => {
    for (const confirmed of [true, false]) {
      const user = somebody(3)
      await register(addressOf(user))
      if (confirmed) await confirm(addressOf(user))
      const answer = await travel('IDP_A', user)
      expect(errorOf(answer)).toBe('link_required')
      expect(refreshCookie(answer)).toBeUndefined()
    }
  })

  test('IDP_B’s address opens no existing account and takes no address from one', async () => {
    for (const confirmed of [true, false]) {
      const user = somebody()
      const email = addressOf(user)
      const victim = await register(email)
      if (confirmed) await confirm(email)
      expect(errorOf(await travel('IDP_B', user))).toBe('link_required')
      expect((await methods(victim)).identities).toEqual([])
      expect((await methods(victim)).email).toBe(email)
    }
  })

  test('a squatter loses an address to the person for whom IDP_A vouches, and gets nothing of theirs', async () => {
    const user = somebody()
    const email = addressOf(user)
    const squatter = await register(email)
    await call(product.url, 'POST', '/api/v1/auth/forgot-password', { email })
    const owner = await signIn('IDP_A', user)
    expect(owner.session.user.id).not.toBe(squatter.session.user.id)
    expect(owner.session.user).toMatchObject({ email, emailConfirmed: true })
    expect(owner.session.workspaces[0]!.id).not.toBe(squatter.workspaceId)

    const login = await call<Problem>(product.url, 'POST', '/api/v1/auth/login', { email, password: PASSWORD })
    expect(login.body.code).toBe('invalid_credentials')
    expect(await methods(squatter)).toMatchObject({ email: null, identities: [] })
    expect((await squatter.call('GET', `/workspaces/${owner.workspaceId}`)).status).toBe(404)
    // Nor can the squatter join the identity: the owner has confirmed the address.
    expect(errorOf(await travel('IDP_A', user, { person: squatter }))).toBe('identity_taken')
  })

  test('a mailed link gives nobody an account that another person can open', async () => {
    const [victim, attacker] = [somebody(), somebody(4)]
    const email = addressOf(victim)
    const squatter = await register(email)
    const forgot = () => call(product.url, 'POST', '/api/v1/auth/forgot-password', { email })
    const links = async () => (await mailTo(product.url, email)).filter(({ text }) => text.includes('/app/reset/'))
    await forgot()
    const [letter] = await eventually(async () => {
      const found = await links()
      return found.length > 0 && found
    })
    await travel('IDP_B', attacker, { person: squatter, redirect: '/app/me' })
    expect((await methods(squatter)).identities).toHaveLength(1)

    const token = /\/app\/reset\/([\w-]+)/.exec(letter!.text)?.[1]
    const body = { token, newPassword: 'another good one' }
    expect((await call(product.url, 'POST', '/api/v1/auth/reset-password', body)).status).toBe(204)
    const owner = await signIn('IDP_A', victim)
    expect(owner.session.user.id).not.toBe(squatter.session.user.id)
    expect((await methods(squatter)).email).toBeNull()
    expect((await methods(owner)).identities).toMatchObject([{ provider: 'IDP_A' }])
  })
})

describe('joining and removing', () => {
  test('a signed-in person joins a provider to their account, whatever address it names', async () => {
    const person = await newPerson(product.url)
    const user = somebody(3)
    const answer = await travel('IDP_A', user, { person, redirect: '/app/me' })
    expect(answer.headers.get('location')).toBe('/app/me?joined=IDP_A')
    expect(refreshCookie(answer)).toBeUndefined()
    expect((await methods(person)).identities).toMatchObject([{ provider: 'IDP_A', email: addressOf(user) }])
    expect((await signIn('IDP_A', user)).session.user.id).toBe(person.session.user.id)

    const stranger = await newPerson(product.url, 'Eve')
    const taken = await travel('IDP_A', user, { person: stranger, redirect: '/app/me' })
    expect(taken.headers.get('location')).toBe('/app/me?error=identity_taken&provider=IDP_A')
    expect((await methods(stranger)).identities).toEqual([])
  })

  test('a person whose session ends before the return joins nothing, however it ended', async () => {
    const ends: ((person: Person) => Promise<unknown>)[] = [
      (person) => person.must('POST', '/api/v1/auth/logout'),
      (person) =>
        sql.query(`update session set ended_at = now(), end_reason = 'password' where user_id = $1`, [
          person.session.user.id,
        ]),
    ]
    for (const end of ends) {
      const squatter = await newPerson(product.url, 'Sam')
      const user = somebody(8)
      const start = await leave('IDP_A', { person: squatter, redirect: '/app/me' })
      const back = await approve(start, user)
      await end(squatter)
      const answer = await comeBack(back, start.cookie)
      expect(errorOf(answer)).toBe('session_revoked')
      const { rows } = await sql.query('select from user_identity where user_id = $1', [squatter.session.user.id])
      expect(rows).toEqual([])
    }
  })

  test('an invalid token is refused instead of starting a sign-in', async () => {
    const headers = { accept: 'application/json', authorization: 'Bearer no' }
    expect((await call(product.url, 'GET', '/api/v1/auth/oauth/IDP_A', undefined, headers)).status).toBe(401)
  })

  test('the last way in cannot be removed; with a password it can, and its sessions end', async () => {
    const user = somebody(4)
    const person = await signIn('IDP_A', user)
    const other = await signIn('IDP_A', user)
    const [identity] = (await methods(person)).identities
    const remove = () => person.call<Problem>('DELETE', `/api/v1/auth/methods/${identity!.id}`)
    expect((await remove()).body).toMatchObject({ status: 409, code: 'invalid_state' })
    await sql.query(`update app_user set email = $1, password_hash = 'x' where id = $2`, [
      `${randomUUID()}@example.test`,
      person.session.user.id,
    ])
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
    expect((await methods(person)).identities).toEqual([])
    expect((await other.call<Problem>('GET', '/api/v1/auth/me')).body.code).toBe('session_revoked')
    const { rows } = await sql.query(
      `select action from security_event where user_id = $1 and action like 'identity.%'`,
      [person.session.user.id],
    )
    expect(rows).toEqual([{ action: 'identity.removed' }])
  })

  test('nobody sees or removes another person’s identity', async () => {
    const [ann, eve] = [await signIn('IDP_A', somebody()), await newPerson(product.url, 'Eve')]
    const [identity] = (await methods(ann)).identities
    for (const id of [identity!.id, randomUUID(), 'x']) {
      expect((await eve.call('DELETE', `/api/v1/auth/methods/${id}`)).status).toBe(404)
    }
    expect((await methods(ann)).identities).toHaveLength(1)
  })
})

describe('a lying provider', () => {
  let liar: Awaited<ReturnType<typeof startPeer>>
  let own: TestDatabase
  let believer: Running

  beforeAll(async () => {
    liar = await startPeer()
    own = await freshDatabase()
    const env = { IDP_A_ISSUER: liar.url, IDP_B_ISSUER: liar.url }
    believer = await startProduct({ databaseUrl: own.url, env })
  })
  afterAll(async () => {
    await believer?.stop()
    await own?.drop()
    await liar?.close()
  })

  async function hear(provider: Provider, lie: (right: JWTPayload) => Lie, iss?: string): Promise<Answer> {
    const start = await leave(provider, { url: believer.url })
    const asked = new URL(start.authorizationUrl).searchParams
    const right: JWTPayload = {
      nonce: asked.get('nonce'),
      aud: asked.get('client_id') ?? '',
      ...(provider === 'IDP_B' && { tid: '7e4a0000-5a5d-4b0c-8000-000000000001', oid: randomUUID() }),
    }
    liar.tell(lie(right))
    const back = new URL(asked.get('redirect_uri') ?? '')
    back.search = new URLSearchParams({ code: 'c', state: asked.get('state') ?? '', ...(iss && { iss }) }).toString()
    return comeBack(back, start.cookie, believer.url)
  }

  /** The accounts that these subjects have entered. */
  async function accountsOf(...subjects: string[]) {
    const client = new pg.Client({ connectionString: own.url })
    await client.connect()
    const { rows } = await client.query(
      `select u.email, u.email_confirmed_at, u.name from app_user u join user_identity i on i.user_id = u.id
        where i.subject = any ($1) order by array_position($1, i.subject)`,
      [subjects],
    )
    await client.end()
    return rows
  }

  test('is believed when everything is right', async () => {
    for (const provider of ['IDP_A', 'IDP_B'] as const) {
      expect(refreshCookie(await hear(provider, (claims) => ({ claims })))).toBeTruthy()
    }
    expect(refreshCookie(await hear('IDP_A', (claims) => ({ claims }), liar.url))).toBeTruthy()
  })

  const past = Math.floor(Date.now() / 1000) - 3600
  test.each<[string, Provider, (right: JWTPayload) => Lie]>([
    ['another nonce', 'IDP_A', (right) => ({ claims: { ...right, nonce: 'x' } })],
    ['no nonce', 'IDP_A', (right) => ({ claims: { ...right, nonce: undefined } })],
    ['another audience', 'IDP_A', (right) => ({ claims: { ...right, aud: 'sandbox-idp-b' } })],
    ['another issuer', 'IDP_A', (right) => ({ claims: { ...right, iss: 'https://other.example' } })],
    ['an expired token', 'IDP_A', (right) => ({ claims: { ...right, iat: past - 60, exp: past } })],
    ['a token that is not signed', 'IDP_A', (right) => ({ claims: right, signed: 'none' })],
    ['a token signed by the secret', 'IDP_A', (right) => ({ claims: right, signed: 'secret' })],
    ['a token signed by another key', 'IDP_A', (right) => ({ claims: right, signed: 'other' })],
    ['a token without subject', 'IDP_A', (right) => ({ claims: { ...right, sub: undefined } })],
    ['a NUL in the subject', 'IDP_A', (right) => ({ claims: { ...right, sub: 'a\0b' } })],
    ['half a character in the subject', 'IDP_A', (right) => ({ claims: { ...right, sub: 'a\ud800b' } })],
    ['a NUL in the object id', 'IDP_B', (right) => ({ claims: { ...right, oid: 'a\0b' } })],
    ['no token', 'IDP_A', () => ({ body: { access_token: 'a', token_type: 'Bearer' } })],
    ['no tenant', 'IDP_B', (right) => ({ claims: { ...right, tid: undefined } })],
    ['nobody', 'IDP_B', (right) => ({ claims: { ...right, oid: undefined } })],
  ])('is not believed with %s', async (_what, provider, lie) => {
    const answer = await hear(provider, lie)
    expect(['sign_in_refused', 'network_error', 'foreign_tenant']).toContain(errorOf(answer))
    expect([answer.status, refreshCookie(answer)]).toEqual([302, undefined])
  })

  test('with a foreign tenant is refused, even if the rest is right', async () => {
    expect(errorOf(await hear('IDP_B', (right) => ({ claims: { ...right, tid: randomUUID() } })))).toBe(
      'foreign_tenant',
    )
    expect(errorOf(await travel('IDP_B', somebody(3)))).toBe('foreign_tenant')
  })

  test('gives nobody the account of an address that only looks the same in lower case', async () => {
    const owner = randomUUID()
    const named = (sub: string, email: string) =>
      hear('IDP_A', (right) => ({ claims: { ...right, sub, email, email_verified: true, name: 'Kelvin' } }))
    expect(refreshCookie(await named(owner, 'kelvin@example.test'))).toBeTruthy()
    const other = randomUUID()
    expect(refreshCookie(await named(other, '\u212Aelvin@example.test'))).toBeTruthy()
    expect(await accountsOf(owner, other)).toMatchObject([{ email: 'kelvin@example.test' }, { email: null }])
  })

  test('confirms no address with markup, or with a word instead of true', async () => {
    const sub = randomUUID()
    const told = { sub, email: 'a<b@example.test', email_verified: 'true', name: '<img src=x>\u0007' }
    expect(refreshCookie(await hear('IDP_A', (right) => ({ claims: { ...right, ...told } })))).toBeTruthy()
    expect(await accountsOf(sub)).toEqual([{ email: null, email_confirmed_at: null, name: '<img src=x>' }])
  })
})

test('an unreachable provider is reported before the browser leaves, and an unconfigured one is not offered', async () => {
  const own = await freshDatabase()
  const bare = await startProduct({
    databaseUrl: own.url,
    env: { SANDBOX: 'off', IDP_A_CLIENT_ID: 'a', IDP_A_CLIENT_SECRET: 'b', IDP_A_ISSUER: 'http://127.0.0.1:9' },
  })
  try {
    const start = (name: string) => call<Problem>(bare.url, 'GET', `/api/v1/auth/oauth/${name}`)
    expect((await start('IDP_A')).body).toMatchObject({ status: 502, code: 'network_error' })
    expect((await start('IDP_B')).body).toMatchObject({ status: 503, code: 'provider_not_configured' })
    const { body } = await call<{ providers: string[] }>(bare.url, 'GET', '/api/v1/config')
    expect(body.providers).toEqual(['IDP_A'])
  } finally {
    await bare.stop()
    await own.drop()
  }
})
