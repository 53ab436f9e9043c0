import { randomInt, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { long, sized } from '../../../test/tier.ts'
import {
  asPerson,
  call,
  codeByMail,
  confirmEmail,
  eventually,
  mailTo,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
  textsTo,
} from '../../../test/world.ts'
import type { OtherWay, Session } from './api.ts'

// A link that undoes a change is a way into the account. Only the owner from before every change of the last 7 days
// gets one, and it restores the state of that time, whatever a thief does in between and in whatever order the owner
// answers.

const { product, sql } = useProduct()
const NEW = 'a meadow after the rain'
const DAYS = 7

beforeEach(() => sql.query('delete from try_count'))

const auth = <T = Problem>(what: string, body: unknown) => call<T>(product.url, 'POST', `/api/v1/auth/${what}`, body)
const undo = (token: string | undefined) => auth<Partial<Session> & Problem>('undo', { token })
const told = ({ status, body }: { status: number; body: unknown }) => [status, (body as Problem | null)?.code]
const newPhone = () => `+49170${randomInt(1_000_000, 9_999_999)}`
const newAddress = (whose = 'person') => `${whose}.${randomUUID()}@example.test`
const somebody = () => `u${randomInt(1_000, 90_000) * 10 + 4}`

const textCode = (phone: string) =>
  eventually(async () => {
    const texts = await textsTo(product.url, phone)
    return texts.map(({ text }) => /\b\d{6}\b/.exec(text)?.[0]).find((code) => code)
  })

async function attach(person: Person, to: { phone: string } | { email: string }) {
  await person.must('POST', '/api/v1/auth/otp/send', to)
  const code = 'phone' in to ? await textCode(to.phone) : await codeByMail(product.url, to.email)
  return person.call<Problem>('POST', '/api/v1/auth/otp/verify', { ...to, code })
}

async function arrive(started: { body: { authorizationUrl: string }; headers: Headers }, user: string) {
  const consent = `${started.body.authorizationUrl}&sandbox_approve=1&sandbox_user=${user}`
  const back = new URL((await fetch(consent, { redirect: 'manual' })).headers.get('location') ?? '')
  const cookie = started.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  return call(product.url, 'GET', back.pathname + back.search, undefined, { cookie })
}

const join = async (person: Person, user = somebody()) =>
  arrive(await person.call<{ authorizationUrl: string }>('POST', '/api/v1/auth/oauth/IDP_B', {}), user)

const identitiesOf = async (person: Person) =>
  (await sql.query<{ id: string }>('select id from user_identity where user_id = $1', [person.session.user.id])).rows

const contact = async (person: Person) =>
  (
    await sql.query<{ email: string | null; phone: string | null; password: boolean }>(
      'select email, phone, password_hash is not null as password from app_user where id = $1',
      [person.session.user.id],
    )
  ).rows[0]

/** The letters and texts that told a destination of changes. */
const tellings = async (to: string) =>
  to.startsWith('+')
    ? (await textsTo(product.url, to)).map(({ text }) => text).filter((text) => !/\b\d{6}\b/.test(text))
    : (await mailTo(product.url, to)).map(({ text }) => text)

const tokenIn = (text: string) => /\/app\/undo\/([\w-]+)/.exec(text)?.[1]

/** Waits for tokens sent to an address or number, and returns them oldest first. */
const tokensTo = (to: string, count = 1) =>
  eventually(async () => {
    const tokens = (await tellings(to)).flatMap((text) => tokenIn(text) ?? []).toReversed()
    return tokens.length >= count && tokens
  })

/** Waits until every job is done, and so every message is sent. */
const untilTold = () =>
  eventually(async () => {
    const { rows } = await sql.query(
      `select from graphile_worker.jobs where task_identifier in ('mail', 'sms', 'one-time-code', 'password-reset')`,
    )
    return rows.length === 0
  })

/** Moves an account's past further back. */
async function pass(person: Person, days: number) {
  const of = [person.session.user.id, `${days} days`]
  await sql.query(
    'update credential_undo set created_at = created_at - $2::interval, expires_at = expires_at - $2::interval where user_id = $1',
    of,
  )
  await sql.query('update app_user set phone_confirmed_at = phone_confirmed_at - $2::interval where id = $1', of)
  await sql.query('update user_identity set created_at = created_at - $2::interval where user_id = $1', of)
}

async function withAddress() {
  const person = await newPerson(product.url)
  await confirmEmail(person)
  return { person, owner: person.session.user.email as string }
}

async function withPhone() {
  const phone = newPhone()
  await auth('otp/send', { phone })
  const { body } = await auth<Session>('login/phone', { phone, code: await textCode(phone) })
  return { person: asPerson(product.url, body), owner: phone }
}

/** Signs in by IDP_B, which gives no address for this sandbox person. */
async function withProvider() {
  const response = await fetch(`${product.url}/api/v1/auth/oauth/IDP_B`, { headers: { accept: 'application/json' } })
  const body = (await response.json()) as { authorizationUrl: string }
  const arrived = await arrive({ body, headers: response.headers }, somebody())
  const cookie = arrived.headers.getSetCookie().find((each) => each.startsWith('refresh_token='))
  const own = { cookie: cookie?.split(';', 1)[0] ?? '' }
  const session = await call<Session>(product.url, 'POST', '/api/v1/auth/refresh', undefined, own)
  return asPerson(product.url, session.body)
}

async function resetBy(email: string): Promise<string> {
  await auth('forgot-password', { email })
  const token = await eventually(async () =>
    (await mailTo(product.url, email))
      .map(({ text }) => /\/app\/reset\/([\w-]+)/.exec(text)?.[1])
      .find((token) => token),
  )
  expect((await auth('reset-password', { token, newPassword: NEW })).status).toBe(204)
  return token
}

type Move = 'owner moves the address' | 'thief moves the address' | 'thief moves the phone' | 'thief joins a provider'
const MOVES = sized<readonly Move[]>(
  ['owner moves the address', 'thief moves the address', 'thief moves the phone'],
  ['owner moves the address', 'thief moves the address', 'thief moves the phone', 'thief joins a provider'],
)
/**
 * All orders of three moves in a long run; otherwise a third of them, in which any two positions still have any two
 * moves.
 */
const orders = MOVES.flatMap((a, i) =>
  MOVES.flatMap((b, j) =>
    MOVES.filter((_, k) => long || (i + j + k) % MOVES.length === 0).map((c) => [a, b, c] as const),
  ),
)

/** Makes the moves and returns the addresses and numbers that they brought. */
async function play(person: Person, order: readonly Move[]): Promise<string[]> {
  const brought: string[] = []
  for (const move of order) {
    if (move === 'thief joins a provider') {
      await join(person)
      continue
    }
    const isPhone = move === 'thief moves the phone'
    const to = isPhone ? newPhone() : newAddress(move.slice(0, 5))
    expect(told(await attach(person, isPhone ? { phone: to } : { email: to }))).toEqual([200, undefined])
    brought.push(to)
  }
  return brought
}

describe.each([
  ['an address', withAddress],
  ['a phone number alone', withPhone],
])('an account with %s', (_what, make) => {
  test.each(MOVES)('gets back everything it had, after orders of three moves that begin with: %s', async (first) => {
    await Promise.all(
      orders
        .filter(([move]) => move === first)
        .map(async (order, index) => {
          const { person, owner } = await make()
          const before = await contact(person)
          const brought = await play(person, order)
          const tokens = await tokensTo(owner, 3)
          expect((await undo(tokens[index % 3])).status, order.join(', ')).toBe(204)
          expect(await contact(person), order.join(', ')).toEqual({ ...before, password: false })
          expect(await identitiesOf(person)).toEqual([])
          expect(told(await person.call('GET', '/api/v1/auth/me'))).toEqual([401, 'session_revoked'])
          for (const token of tokens) expect(told(await undo(token))).toEqual([410, 'link_expired'])
          await untilTold()
          for (const to of brought) {
            expect(
              (await tellings(to)).flatMap((text) => tokenIn(text) ?? []),
              `${order.join(', ')}: ${to}`,
            ).toEqual([])
          }
        }),
    )
  })
})

describe('the address of a thief', () => {
  test('gets no link when the owner replaces it, and is told where the link went', async () => {
    const { person, owner } = await withAddress()
    const [thief, safe] = [newAddress('thief'), newAddress('safe')]
    await attach(person, { email: thief })
    await attach(person, { email: safe })
    const letter = await eventually(async () =>
      (await tellings(thief)).find((text) => text.includes('no longer sign in with this address')),
    )
    expect(letter).toContain('less than 7 days')
    expect(letter).not.toMatch(/\/app\/(undo|forgot)/)
    const [first, second] = await tokensTo(owner, 2)
    expect((await undo(second)).status).toBe(204)
    expect(told(await undo(first))).toEqual([410, 'link_expired'])
    expect(await contact(person)).toMatchObject({ email: owner })
  })

  test('counts as the owner’s after 7 days, when the links to the previous one have expired', async () => {
    const { person, owner } = await withAddress()
    const [second, third] = [newAddress(), newAddress()]
    await attach(person, { email: second })
    await pass(person, DAYS - 1)
    await join(person)
    const tokens = await tokensTo(owner, 2)
    await pass(person, 1.5)
    // The second letter also went to the first address, which had one day left.
    for (const token of tokens) expect(told(await undo(token))).toEqual([410, 'link_expired'])
    await attach(person, { email: third })
    const [own] = await tokensTo(second)
    expect((await undo(own)).status).toBe(204)
    expect(await contact(person)).toMatchObject({ email: second })
    expect(await identitiesOf(person)).toEqual([])
  })

  test('is not restored, even if it was there for days and arrived more than 7 days ago', async () => {
    const { person } = await withPhone()
    const [first, thief, safe] = [newAddress(), newAddress('thief'), newAddress('safe')]
    await attach(person, { email: first })
    await pass(person, 8)
    await attach(person, { email: thief })
    await pass(person, 1)
    await attach(person, { email: safe })
    const firsts = await tokensTo(first, 2)
    await pass(person, DAYS - 0.5)
    for (const token of firsts) expect(told(await undo(token))).toEqual([410, 'link_expired'])
    await join(person)
    const phone = person.session.user.phone as string
    const [link] = await tokensTo(phone, 2).then((tokens) => tokens.toReversed())
    expect((await undo(link)).status).toBe(204)
    expect(await contact(person)).toEqual({ email: null, phone, password: false })
  })

  test('in an account with only a phone ends nothing for good: the number gets the link by SMS', async () => {
    const { person, owner: phone } = await withPhone()
    const thief = newAddress('thief')
    await attach(person, { email: thief })
    const [link] = await tokensTo(phone)
    const token = await resetBy(thief)
    const { data } = (await auth<{ data: OtherWay[] }>('reset-password/ways', { token })).body
    expect(data.map(({ kind }) => kind)).toEqual(['phone'])
    await auth('reset-password/ways/end', { token, ids: data.map(({ id }) => id) })
    expect(await contact(person)).toEqual({ email: thief, phone: null, password: true })
    expect((await undo(link)).status).toBe(204)
    expect(await contact(person)).toEqual({ email: null, phone, password: false })
  })

  test('cannot end the provider that is the owner’s only way in, since nobody else could be notified', async () => {
    const person = await withProvider()
    const [thief, safe] = [newAddress('thief'), newAddress('safe')]
    await attach(person, { email: thief })
    const token = await resetBy(thief)
    const [identity] = await identitiesOf(person)
    expect(told(await auth('reset-password/ways/end', { token, ids: [identity!.id] }))).toEqual([409, 'invalid_state'])
    const { body } = await auth<Session>('login', { email: thief, password: NEW })
    const inside = asPerson(product.url, body)
    expect(told(await inside.call('DELETE', `/api/v1/auth/methods/${identity!.id}`))).toEqual([409, 'invalid_state'])
    // The owner sets an address, and the thief gets no link.
    await attach(inside, { email: safe })
    await untilTold()
    expect((await tellings(thief)).flatMap((text) => tokenIn(text) ?? [])).toEqual([])
    expect(await identitiesOf(person)).toEqual([identity])
  })
})

describe('a way in that a stranger removes', () => {
  test('is restored by the link, even a provider', async () => {
    const { person, owner } = await withAddress()
    const user = somebody()
    await join(person, user)
    await pass(person, 8)
    const before = await identitiesOf(person)
    expect((await person.call('DELETE', `/api/v1/auth/methods/${before[0]!.id}`)).status).toBe(204)
    await join(person)
    const tokens = await tokensTo(owner, 3)
    expect((await undo(tokens.at(-1))).status).toBe(204)
    expect(await identitiesOf(person)).toEqual(before)
  })

  test('a first password set in a fresh session is announced with a link that removes it', async () => {
    const { person, owner: phone } = await withPhone()
    expect((await person.call('POST', '/api/v1/auth/change-password', { newPassword: NEW })).status).toBe(204)
    const [link] = await tokensTo(phone)
    expect(await contact(person)).toMatchObject({ password: true })
    expect((await undo(link)).status).toBe(204)
    expect(await contact(person)).toEqual({ email: null, phone, password: false })
  })

  test('texts per day are limited', async () => {
    const { person, owner: phone } = await withPhone()
    for (let count = 0; count < 12; count += 1) await join(person)
    await untilTold()
    expect(await tokensTo(phone, 10)).toHaveLength(10)
  })
})

describe('a concurrent change during an undo', () => {
  const waiting = (count: number) =>
    eventually(async () => {
      const { rows } = await sql.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return (rows[0]?.count ?? 0) >= count
    })

  /** Locks an account until it is released. */
  async function hold(person: Person) {
    const holder = await sql.connect()
    await holder.query('begin')
    await holder.query('select from app_user where id = $1 for update', [person.session.user.id])
    return async () => {
      await holder.query('commit')
      holder.release()
    }
  }

  /** An account whose address a thief has replaced, with a code for the thief's phone and the owner's link. */
  async function robbed() {
    const { person, owner } = await withAddress()
    await attach(person, { email: newAddress('thief') })
    const [link] = await tokensTo(owner)
    const phone = newPhone()
    await person.must('POST', '/api/v1/auth/otp/send', { phone })
    const code = await textCode(phone)
    const verify = () => person.call<Problem>('POST', '/api/v1/auth/otp/verify', { phone, code })
    return { person, owner, link, verify, release: await hold(person) }
  }

  test('that commits first is undone too', async () => {
    const { person, owner, link, verify, release } = await robbed()
    const change = verify()
    await waiting(1)
    const undone = undo(link)
    await waiting(2)
    await release()
    expect([(await change).status, (await undone).status]).toEqual([200, 204])
    expect(await contact(person)).toEqual({ email: owner, phone: null, password: false })
  })

  test('that commits first without a session is undone too', async () => {
    const { person, owner: phone } = await withPhone()
    const thief = newAddress('thief')
    await attach(person, { email: thief })
    const [link] = await tokensTo(phone)
    const token = await resetBy(thief)
    const release = await hold(person)
    const change = auth('reset-password/ways/end', { token, ids: ['phone'] })
    await waiting(1)
    const undone = undo(link)
    await waiting(2)
    await release()
    expect([(await change).status, (await undone).status]).toEqual([204, 204])
    expect(await contact(person)).toEqual({ email: null, phone, password: false })
  })

  test('that comes second is refused', async () => {
    const { person, owner, link, verify, release } = await robbed()
    const undone = undo(link)
    await waiting(1)
    const change = verify()
    await waiting(2)
    await release()
    expect((await undone).status).toBe(204)
    expect(told(await change)).toEqual([401, 'session_revoked'])
    expect(await contact(person)).toEqual({ email: owner, phone: null, password: false })
  })
})

test('a thief who held a session has nothing left once the owner has replaced the address with a safe one', async () => {
  const { person, owner } = await withAddress()
  const [thief, safe] = [newAddress('thief'), newAddress('safe')]
  const own = asPerson(product.url, (await auth<Session>('login', { email: owner, password: PASSWORD })).body)
  await attach(person, { email: thief })
  await own.must('DELETE', '/api/v1/auth/sessions')
  await own.must('POST', '/api/v1/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW })
  await attach(own, { email: safe })
  await untilTold()
  expect((await tellings(thief)).flatMap((text) => tokenIn(text) ?? [])).toEqual([])
  expect(told(await own.call('GET', '/api/v1/auth/me'))).toEqual([200, undefined])
  await auth('forgot-password', { email: thief })
  await untilTold()
  expect((await tellings(thief)).some((text) => text.includes('/app/reset/'))).toBe(false)
  expect((await auth('login', { email: safe, password: NEW })).status).toBe(200)
})
