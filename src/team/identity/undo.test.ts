import { randomInt, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import {
  asPerson,
  call,
  codeByMail,
  codeBySms,
  confirmEmail,
  eventually,
  mailTo,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
  textsTo,
} from '../../../test/world.ts'
import type { OtherWay, Session, SignInMethods } from './api.ts'

// A person who holds somebody's session for a while must not be able to take over the account: another way in needs the
// password or a recent sign-in, the owner gets a link that undoes it, and a new password shows what else opens the
// account.

const { product, sql } = useProduct()
const NEW = 'a meadow after the rain'

beforeEach(() => sql.query('delete from try_count'))

const auth = <T = Problem>(what: string, body: unknown) => call<T>(product.url, 'POST', `/api/v1/auth/${what}`, body)
const told = ({ status, body }: { status: number; body: unknown }) => [status, (body as Problem).code]
const faults = ({ body }: { body: unknown }) => (body as Problem).errors?.map(({ path, code }) => `${path} ${code}`)
const emailOf = (person: Person) => person.session.user.email as string
const newPhone = () => `+49170${randomInt(1_000_000, 9_999_999)}`
const methods = (person: Person) => person.must<SignInMethods>('GET', '/api/v1/auth/methods')
const contact = async (person: Person) =>
  (
    await sql.query<{ email: string | null; phone: string | null; password: boolean }>(
      'select email, phone, password_hash is not null as password from app_user where id = $1',
      [person.session.user.id],
    )
  ).rows[0]

async function confirmed(): Promise<Person> {
  const person = await newPerson(product.url)
  await confirmEmail(person)
  return person
}

const longAgo = (person: Person) =>
  sql.query(`update session set created_at = app_now() - interval '16 minutes' where user_id = $1`, [
    person.session.user.id,
  ])

async function codeFor(person: Person, to: { phone: string } | { email: string }): Promise<string> {
  await person.must('POST', '/api/v1/auth/otp/send', to)
  return 'phone' in to ? codeBySms(product.url, to.phone) : codeByMail(product.url, to.email)
}

const attach = async (person: Person, to: { phone: string } | { email: string }, currentPassword?: string) =>
  person.call<Problem>('POST', '/api/v1/auth/otp/verify', { ...to, code: await codeFor(person, to), currentPassword })

/** A sandbox person without an address. `join` approves joining that identity to the account. */
const somebody = () => `u${randomInt(1_000, 90_000) * 10 + 4}`
async function join(person: Person, user = somebody(), body: object = {}) {
  const started = await person.call<Problem & { authorizationUrl: string }>('POST', '/api/v1/auth/oauth/IDP_B', body)
  if (started.status !== 200) return started
  const consent = `${started.body.authorizationUrl}&sandbox_approve=1&sandbox_user=${user}`
  const back = new URL((await fetch(consent, { redirect: 'manual' })).headers.get('location') ?? '')
  const cookie = started.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  return call(product.url, 'GET', back.pathname + back.search, undefined, { cookie })
}

/** Waits for links mailed to an address, and returns their tokens newest first. */
const links = (email: string, kind: 'undo' | 'reset', count = 1) =>
  eventually(async () => {
    const letters = await mailTo(product.url, email)
    const tokens = letters.flatMap(({ text }) => new RegExp(`/app/${kind}/([\\w-]+)`).exec(text)?.[1] ?? [])
    return tokens.length >= count && tokens
  })

/** Moves the changes of an account into the past. */
const pass = (person: Person, days: number) =>
  sql.query(
    `update credential_undo set created_at = created_at - $2 * interval '1 day', expires_at = expires_at - $2 * interval '1 day'
      where user_id = $1`,
    [person.session.user.id, days],
  )

/** The code that came to a number after other texts. */
const newCode = (phone: string) =>
  eventually(async () => {
    const texts = await textsTo(product.url, phone)
    return /\b\d{6}\b/.exec(texts[0]?.text ?? '')?.[0]
  })

const undo = (token: string | undefined) => auth('undo', { token })

describe('another way in', () => {
  test('by a phone or an address needs the password once the sign-in is 15 minutes old', async () => {
    const ann = await confirmed()
    await longAgo(ann)
    const phone = newPhone()
    const code = await codeFor(ann, { phone })
    const verify = (currentPassword?: string) =>
      ann.call<Problem>('POST', '/api/v1/auth/otp/verify', { phone, code, currentPassword })
    expect(faults(await verify())).toEqual(['/currentPassword required'])
    expect(faults(await verify('not the password'))).toEqual(['/currentPassword wrong_password'])
    expect((await contact(ann))?.phone).toBeNull()
    expect((await verify(PASSWORD)).status).toBe(200)
    expect((await contact(ann))?.phone).toBe(phone)
  })

  test('is not needed to confirm the address of the registration', async () => {
    const ann = await newPerson(product.url)
    await longAgo(ann)
    await confirmEmail(ann)
  })

  test('by a provider needs it too, however it begins', async () => {
    const ann = await confirmed()
    await longAgo(ann)
    expect(faults(await join(ann))).toEqual(['/currentPassword required'])
    const plain = await ann.call('GET', '/api/v1/auth/oauth/IDP_B', undefined, { accept: 'application/json' })
    expect(faults(plain)).toEqual(['/currentPassword required'])
    expect(faults(await join(ann, somebody(), { currentPassword: 'not the password' }))).toEqual([
      '/currentPassword wrong_password',
    ])
    await join(ann, somebody(), { currentPassword: PASSWORD })
    expect((await methods(ann)).identities).toHaveLength(1)
  })
})

describe('removing a way in', () => {
  test('needs the password once the sign-in is 15 minutes old', async () => {
    const ann = await confirmed()
    await join(ann)
    const [identity] = (await methods(ann)).identities
    const remove = (body?: object) => ann.call<Problem>('DELETE', `/api/v1/auth/methods/${identity!.id}`, body)
    await longAgo(ann)
    expect(faults(await remove())).toEqual(['/currentPassword required'])
    expect(faults(await remove({ currentPassword: 'not the password' }))).toEqual(['/currentPassword wrong_password'])
    expect((await methods(ann)).identities).toHaveLength(1)
    expect((await remove({ currentPassword: PASSWORD })).status).toBe(204)
    expect((await methods(ann)).identities).toEqual([])
  })
})

describe('the link that undoes a change', () => {
  test('removes a phone again, with every session and the password, once', async () => {
    const ann = await confirmed()
    expect(told(await attach(ann, { phone: newPhone() }))).toEqual([200, undefined])
    const [token] = await links(emailOf(ann), 'undo')
    expect((await undo(token)).status).toBe(204)
    expect(await contact(ann)).toEqual({ email: emailOf(ann), phone: null, password: false })
    expect(told(await ann.call('GET', '/api/v1/auth/me'))).toEqual([401, 'session_revoked'])
    expect(told(await undo(token))).toEqual([410, 'link_expired'])
    const [reset] = await eventually(async () => {
      await auth('forgot-password', { email: emailOf(ann) })
      return links(emailOf(ann), 'reset')
    })
    expect((await auth('reset-password', { token: reset, newPassword: NEW })).status).toBe(204)
  })

  test('removes a provider again', async () => {
    const ann = await confirmed()
    await join(ann)
    expect((await methods(ann)).identities).toHaveLength(1)
    const [token] = await links(emailOf(ann), 'undo')
    expect((await undo(token)).status).toBe(204)
    const { rows } = await sql.query('select from user_identity where user_id = $1', [ann.session.user.id])
    expect(rows).toEqual([])
  })

  test('restores a replaced address and undoes the later changes', async () => {
    const ann = await confirmed()
    const thief = [`${randomUUID()}@example.test`, `${randomUUID()}@example.test`] as const
    expect((await attach(ann, { email: thief[0] })).status).toBe(200)
    expect(told(await attach(ann, { phone: newPhone() }))).toEqual([200, undefined])
    await join(ann)
    expect((await attach(ann, { email: thief[1] })).status).toBe(200)
    const [own] = await links(emailOf(ann), 'undo')
    await links(emailOf(ann), 'undo', 4)
    expect((await undo(own)).status).toBe(204)
    expect(await contact(ann)).toEqual({ email: emailOf(ann), phone: null, password: false })
    const { rows } = await sql.query('select from user_identity where user_id = $1', [ann.session.user.id])
    expect(rows).toEqual([])
    for (const token of await links(emailOf(ann), 'undo', 4)) {
      expect(told(await undo(token))).toEqual([410, 'link_expired'])
    }
  })

  test('leaves an address with the account that has since proved it, undoes the rest, and opens the account itself', async () => {
    const ann = await confirmed()
    await attach(ann, { email: `${randomUUID()}@example.test` })
    await attach(ann, { phone: newPhone() })
    await join(ann)
    const tokens = await links(emailOf(ann), 'undo', 3)
    const { body } = await auth<Session>('register', { email: emailOf(ann), password: PASSWORD, name: 'Ann again' })
    const again = asPerson(product.url, body)
    const code = await codeByMail(product.url, emailOf(ann), 2)
    await again.must('POST', '/api/v1/auth/otp/verify', { email: emailOf(ann), code })

    const opened = await auth<Session>('undo', { token: tokens.at(-1) })
    expect(opened.status).toBe(200)
    expect(opened.headers.getSetCookie().some((cookie) => cookie.startsWith('refresh_token='))).toBe(true)
    expect(opened.body.user).toMatchObject({ id: ann.session.user.id, email: null, phone: null })
    expect(told(await ann.call('GET', '/api/v1/auth/me'))).toEqual([401, 'session_revoked'])
    expect(await contact(ann)).toEqual({ email: null, phone: null, password: false })
    expect(await again.must('GET', '/api/v1/auth/me')).toMatchObject({ email: emailOf(ann), emailConfirmed: true })
    for (const token of tokens) expect(told(await undo(token))).toEqual([410, 'link_expired'])

    const owner = asPerson(product.url, opened.body)
    expect(await methods(owner)).toMatchObject({ identities: [] })
    const safe = `${randomUUID()}@example.test`
    expect((await attach(owner, { email: safe })).status).toBe(200)
    expect((await owner.call('POST', '/api/v1/auth/change-password', { newPassword: NEW })).status).toBe(204)
    expect((await auth('login', { email: safe, password: NEW })).status).toBe(200)
  })

  test('leaves a number with the account that has since proved it, and the address opens the account', async () => {
    const ann = await confirmed()
    const phone = newPhone()
    await attach(ann, { phone })
    await pass(ann, 8)
    await attach(ann, { phone: newPhone() })
    const [token] = await links(emailOf(ann), 'undo', 2)
    await auth('otp/send', { phone })
    const other = await auth<Session>('login/phone', { phone, code: await newCode(phone) })
    expect((await undo(token)).status).toBe(204)
    expect(await contact(ann)).toEqual({ email: emailOf(ann), phone: null, password: false })
    expect(other.body.user.phone).toBe(phone)
  })

  test('works for 7 days, is stored as a hash, and counts once when used ten times at the same time', async () => {
    const ann = await confirmed()
    expect(told(await attach(ann, { phone: newPhone() }))).toEqual([200, undefined])
    const [token] = await links(emailOf(ann), 'undo')
    const { rows } = await sql.query<{ whole: string }>(
      `select row_to_json(u)::text as whole from credential_undo u where user_id = $1`,
      [ann.session.user.id],
    )
    expect(rows[0]?.whole).not.toContain(token)
    const move = (by: string) =>
      sql.query(`update credential_undo set expires_at = expires_at + $2::interval where user_id = $1`, [
        ann.session.user.id,
        by,
      ])
    await move('-7 days')
    expect(told(await undo(token))).toEqual([410, 'link_expired'])
    await move('7 days')
    const answers = await Promise.all(Array.from({ length: 10 }, () => undo(token)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(told(await undo(randomUUID()))).toEqual([410, 'link_expired'])
  })
})

describe('after a new password', () => {
  const reset = async (person: Person) => {
    await auth('forgot-password', { email: emailOf(person) })
    const [token] = await links(emailOf(person), 'reset')
    return token as string
  }
  const ways = (token: string) => auth<Problem & { data: OtherWay[] }>('reset-password/ways', { token })

  test('the link lists what else opens the account, and removes it with its sessions', async () => {
    const ann = await confirmed()
    const phone = newPhone()
    expect(told(await attach(ann, { phone }))).toEqual([200, undefined])
    await join(ann)
    const token = await reset(ann)
    expect(told(await ways(token))).toEqual([410, 'link_expired'])
    expect((await auth('reset-password', { token, newPassword: NEW })).status).toBe(204)
    const { data } = (await ways(token)).body
    expect(data.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['IDP_B', null],
      ['phone', phone.slice(-4)],
    ])
    await auth('otp/send', { phone })
    const thief = await auth<{ accessToken: string }>('login/phone', {
      phone,
      code: await codeBySms(product.url, phone, 2),
    })
    expect((await auth('reset-password/ways/end', { token, ids: data.map(({ id }) => id) })).status).toBe(204)
    expect((await ways(token)).body.data).toEqual([])
    expect(await contact(ann)).toMatchObject({ email: emailOf(ann), phone: null })
    const own = { authorization: `Bearer ${thief.body.accessToken}` }
    expect(told(await call(product.url, 'GET', '/api/v1/auth/me', undefined, own))).toEqual([401, 'session_revoked'])
    expect(told(await auth('reset-password', { token, newPassword: NEW }))).toEqual([410, 'link_expired'])
  })

  test('the link removes nothing from another account, and nothing after its 30 minutes', async () => {
    const [ann, bea] = [await confirmed(), await confirmed()]
    await join(bea)
    const [theirs] = (await methods(bea)).identities
    const token = await reset(ann)
    await auth('reset-password', { token, newPassword: NEW })
    expect((await auth('reset-password/ways/end', { token, ids: [theirs!.id] })).status).toBe(204)
    expect((await methods(bea)).identities).toHaveLength(1)
    await sql.query(`update password_reset set expires_at = app_now() - interval '1 second' where user_id = $1`, [
      ann.session.user.id,
    ])
    expect(told(await ways(token))).toEqual([410, 'link_expired'])
    expect(told(await auth('reset-password/ways/end', { token, ids: [] }))).toEqual([410, 'link_expired'])
  })
})
