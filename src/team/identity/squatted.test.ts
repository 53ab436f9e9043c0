import { randomInt, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import {
  asPerson,
  call,
  codeByMail,
  codeBySms,
  connectPages,
  eventually,
  mailTo,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
  type SentMail,
} from '../../../test/world.ts'
import type { Session } from './api.ts'

// A person who registers somebody else's address cannot prove it. The owner of the address can, and gets a separate
// account in whatever way they come: it contains nothing that the stranger prepared.

const { product, sql } = useProduct()
const NEW = 'a meadow after the rain'

beforeEach(() => sql.query('delete from try_count'))

const auth = <T = Problem>(what: string, body: unknown) => call<T>(product.url, 'POST', `/api/v1/auth/${what}`, body)
const letter = (email: string, found: (mail: SentMail) => boolean) =>
  eventually(async () => (await mailTo(product.url, email)).find(found))

async function resetTo(email: string): Promise<Session> {
  await auth('forgot-password', { email })
  const mail = await letter(email, ({ text }) => text.includes('/app/reset/'))
  expect(mail.text).toContain('a new, empty account')
  const token = /\/app\/reset\/([\w-]+)/.exec(mail.text)?.[1]
  expect((await auth('reset-password', { token, newPassword: NEW })).status).toBe(204)
  expect((await auth('reset-password', { token, newPassword: NEW })).body.code).toBe('link_expired')
  return (await auth<Session>('login', { email, password: NEW })).body
}

async function enterByCode(email: string): Promise<Session> {
  await auth('otp/send', { email })
  const code = await codeByMail(product.url, email, 2)
  return (await auth<Session>('otp/verify', { email, code })).body
}

/** Registers the owner through an invitation to somebody else's workspace. */
async function registerInvited(email: string): Promise<Session> {
  const host = await newPerson(product.url, 'Host')
  await sql.query('update app_user set email_confirmed_at = now() where id = $1', [host.session.user.id])
  await host.must('POST', `/workspaces/${host.workspaceId}/members`, { email, role: 'EDITOR' })
  const mail = await letter(email, ({ text }) => text.includes('/app/invite/'))
  const inviteToken = /\/app\/invite\/([\w-]+)/.exec(mail.text)?.[1]
  return (await auth<Session>('register', { email, password: NEW, inviteToken })).body
}

async function enterByProvider(email: string): Promise<Session> {
  const start = await fetch(`${product.url}/api/v1/auth/oauth/IDP_A`, { headers: { accept: 'application/json' } })
  const { authorizationUrl } = (await start.json()) as { authorizationUrl: string }
  const user = /u\d+/.exec(email)?.[0]
  const consent = await fetch(`${authorizationUrl}&sandbox_approve=1&sandbox_user=${user}`, { redirect: 'manual' })
  const back = new URL(consent.headers.get('location') ?? '')
  const cookie = start.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const arrived = await call(product.url, 'GET', back.pathname + back.search, undefined, { cookie })
  const refresh = arrived.headers.getSetCookie().find((each) => each.startsWith('refresh_token='))
  const own = { cookie: refresh?.split(';', 1)[0] ?? '' }
  return (await call<Session>(product.url, 'POST', '/api/v1/auth/refresh', undefined, own)).body
}

/** An address for which IDP_A vouches when its sandbox person signs in. */
const addressAtProvider = () => `alex.u${randomInt(1_000, 90_000) * 60 + 1}@example.test`

/** Registers somebody else's address as a stranger, and prepares the account for its owner. */
async function squat(email: string): Promise<Person> {
  const { body } = await auth<Session>('register', { email, password: PASSWORD, name: 'Mallory' })
  const stranger = asPerson(product.url, body)
  await connectPages(stranger)
  return stranger
}

const ways: [way: string, enter: (email: string) => Promise<Session>, email: () => string][] = [
  ['a code', enterByCode, () => `${randomUUID()}@example.test`],
  ['a new password', resetTo, () => `${randomUUID()}@example.test`],
  ['an invitation', registerInvited, () => `${randomUUID()}@example.test`],
  ['IDP_A', enterByProvider, addressAtProvider],
]

describe.each(ways)('the owner of an address that a stranger registered signs in by %s', (_way, enter, address) => {
  test('and inherits no workspaces, accounts, ways in or sessions', async () => {
    const email = address()
    const stranger = await squat(email)
    const session = await enter(email)
    expect(session.user).toMatchObject({ email, emailConfirmed: true, phone: null })
    expect(session.user.id).not.toBe(stranger.session.user.id)
    expect(session.user.name).not.toBe('Mallory')
    const owner = asPerson(product.url, session)
    expect(session.workspaces.map(({ id }) => id)).not.toContain(stranger.workspaceId)
    expect((await owner.must<{ data: unknown[] }>('GET', '/social-accounts')).data).toEqual([])
    // The stranger's session and password open only the stranger's account, which has lost the address.
    const own = await stranger.must<Session['user']>('GET', '/api/v1/auth/me')
    expect(own).toMatchObject({ id: stranger.session.user.id, email: null })
    expect((await auth('login', { email, password: PASSWORD })).body.code).toBe('invalid_credentials')
    const { data } = await owner.must<{ data: unknown[] }>('GET', '/api/v1/auth/sessions')
    expect(data).toHaveLength(1)
  })
})

test('a stranger with a proven phone number keeps it, and the reset goes to the owner of the address', async () => {
  const email = `${randomUUID()}@example.test`
  const stranger = await squat(email)
  const phone = `+49170${randomInt(1_000_000, 9_999_999)}`
  await stranger.must('POST', '/api/v1/auth/otp/send', { phone })
  await stranger.must('POST', '/api/v1/auth/otp/verify', { phone, code: await codeBySms(product.url, phone) })
  const session = await resetTo(email)
  expect(session.user).toMatchObject({ email, phone: null })
  expect(await stranger.must('GET', '/api/v1/auth/me')).toMatchObject({ phone, email: null })
})

test('of two simultaneous proofs of one address, one creates the account and the other finds it or is refused', async () => {
  const email = `${randomUUID()}@example.test`
  await squat(email)
  await auth('forgot-password', { email })
  await auth('otp/send', { email })
  const mail = await letter(email, ({ text }) => text.includes('/app/reset/'))
  const token = /\/app\/reset\/([\w-]+)/.exec(mail.text)?.[1]
  const code = await codeByMail(product.url, email, 2)
  const [byLink, byCode] = await Promise.all([
    auth('reset-password', { token, newPassword: NEW }),
    auth('otp/verify', { email, code }),
  ])
  expect([byLink.status, byCode.status].filter((status) => status < 300).length).toBeGreaterThan(0)
  const { rows } = await sql.query('select from app_user where email = $1', [email])
  expect(rows).toHaveLength(1)
})
