import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import {
  type Answer,
  call,
  confirmEmail,
  eventually,
  mailTo,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
} from '../../../test/world.ts'
import type { Session } from './api.ts'

const MINUTE = 60_000
const NEW = 'a meadow after the rain'

const { product, sql } = useProduct({ own: true })

const auth = <T = Problem>(what: string, body: unknown, headers?: Record<string, string>) =>
  call<T>(product.url, 'POST', `/api/v1/auth/${what}`, body, headers)
const login = (email: string, password: string) => auth<Session>('login', { email, password })
const me = (accessToken: string) =>
  call<Problem>(product.url, 'GET', '/api/v1/auth/me', undefined, { authorization: `Bearer ${accessToken}` })
const cookieOf = (answer: Answer) => (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0] as string
const emailOf = (person: Person) => person.session.user.email as string
const told = ({ status, body }: Answer) => [status, (body as Problem).code]
const faults = ({ body }: Answer) => (body as Problem).errors?.map(({ path, code }) => `${path} ${code}`)
const change = (person: Person, currentPassword: string | undefined, newPassword: string) =>
  person.call<Problem>('POST', '/api/v1/auth/change-password', { currentPassword, newPassword })
const reset = (token: string, newPassword = NEW) => auth('reset-password', { token, newPassword })

/** Waits for this many letters to an address and returns them, newest first. */
const letters = (email: string, count: number) =>
  eventually(async () => {
    const all = await mailTo(product.url, email)
    return all.length >= count && all
  })

const tokenIn = (text: string | undefined) => /\/app\/reset\/([\w-]+)/.exec(text ?? '')?.[1] ?? ''

/** Requests a new password and returns the mailed token. */
async function forgot(email: string, count = 1): Promise<string> {
  expect((await auth('forgot-password', { email })).status).toBe(202)
  return tokenIn((await letters(email, count))[0]?.text)
}

async function confirmed(): Promise<Person> {
  const person = await newPerson(product.url)
  await confirmEmail(person)
  return person
}

describe('a forgotten password', () => {
  test('is replaced through the mailed link, in text and HTML', async () => {
    const ann = await confirmed()
    await ann.must('PATCH', '/api/v1/auth/me', { name: 'Ann <b>' })
    const email = emailOf(ann)
    expect((await auth('forgot-password', { email: ` ${email.toUpperCase()} ` })).status).toBe(202)
    const token = tokenIn((await letters(email, 1))[0]?.text)
    expect(token).toMatch(/^[\w-]{43}$/)
    const [letter] = await mailTo(product.url, email)
    expect(letter).toMatchObject({ subject: 'Reset your Parley password', from: 'Parley <parley@sandbox.test>' })
    expect(letter?.text).toContain(`${product.url}/app/reset/${token}`)
    expect(letter?.text).toContain('Hi Ann <b>,')
    expect(letter?.html).toContain('Hi Ann &#60;b&#62;,')
    expect(letter?.html).toContain(`href="${product.url}/app/reset/${token}"`)

    const answer = await reset(token)
    expect([answer.status, answer.body]).toEqual([204, ''])
    expect(told(await login(email, PASSWORD))).toEqual([401, 'invalid_credentials'])
    const again = await login(email, NEW)
    expect([again.status, again.body.user.id]).toEqual([200, ann.session.user.id])
  })

  test('is mailed without the name of an account that never proved the address', async () => {
    const ann = await newPerson(product.url)
    await forgot(emailOf(ann))
    const [letter] = await letters(emailOf(ann), 1)
    expect(letter?.text).toMatch(/^Hi,/)
    expect(letter?.text).not.toContain('Ann')
  })

  test('ends all sessions at once when replaced, and the person is notified', async () => {
    const ann = await confirmed()
    const other = await login(emailOf(ann), PASSWORD)
    expect((await reset(await forgot(emailOf(ann)))).status).toBe(204)
    for (const { accessToken } of [ann.session, other.body]) {
      expect(told(await me(accessToken))).toEqual([401, 'session_revoked'])
    }
    expect(told(await auth('refresh', undefined, { cookie: cookieOf(other) }))).toEqual([401, 'refresh_invalid'])
    const [newest] = await letters(emailOf(ann), 2)
    expect(newest?.subject).toBe('Your Parley password was changed')
    const { rows } = await sql.query<{ reason: string }>(
      'select distinct end_reason as reason from session where user_id = $1',
      [ann.session.user.id],
    )
    expect(rows).toEqual([{ reason: 'password' }])
  })

  test('is replaced with a notice of what else opens the account: a phone, and accounts elsewhere', async () => {
    const ann = await confirmed()
    const plain = await confirmed()
    await sql.query(`update app_user set phone = '+491701234567', phone_confirmed_at = now() where id = $1`, [
      ann.session.user.id,
    ])
    await sql.query(
      `insert into user_identity (id, user_id, provider, issuer, subject, email)
        values (gen_random_uuid(), $1, 'IDP_A', 'https://idp.test', $2, 'ann@elsewhere.test')`,
      [ann.session.user.id, randomUUID()],
    )
    for (const person of [ann, plain]) expect((await reset(await forgot(emailOf(person)))).status).toBe(204)
    const [[letter], [short]] = [await letters(emailOf(ann), 2), await letters(emailOf(plain), 2)]
    for (const text of [letter?.text, letter?.html].map((each) => each?.replaceAll('\u2060', ''))) {
      expect(text).toContain('You can also sign in with: ')
      expect(text).toContain('Google (ann@elsewhere.test)')
      expect(text).toContain('the phone number ending in 4567')
      expect(text).not.toContain('+49170')
    }
    expect(short?.subject).toBe(letter?.subject)
    expect(short?.text).not.toContain('You can also sign in with')
  })

  test('the link works once, also when used ten times at the same time', async () => {
    const ann = await newPerson(product.url)
    const token = await forgot(emailOf(ann))
    const passwords = Array.from({ length: 10 }, (_, index) => `${NEW} ${index}`)
    const answers = await Promise.all(passwords.map((password) => reset(token, password)))
    const won = answers.flatMap(({ status }, index) => (status === 204 ? [index] : []))
    expect(won).toHaveLength(1)
    expect(answers.filter((answer) => answer.status === 410)).toHaveLength(9)
    for (const [index, password] of passwords.entries()) {
      await sql.query('delete from try_count')
      expect((await login(emailOf(ann), password)).status, password).toBe(index === won[0] ? 200 : 401)
    }
    expect(told(await reset(token))).toEqual([410, 'link_expired'])
  })

  test('a newer link ends the previous one', async () => {
    const ann = await newPerson(product.url)
    const older = await forgot(emailOf(ann))
    const newer = await forgot(emailOf(ann), 2)
    expect(newer).not.toBe(older)
    expect(told(await reset(older))).toEqual([410, 'link_expired'])
    expect((await reset(newer)).status).toBe(204)
  })

  test('is mailed once, even if its job runs again, and that link works', async () => {
    const ann = await newPerson(product.url)
    const holder = await sql.connect()
    await holder.query('begin')
    await holder.query('lock table password_reset in access exclusive mode')
    expect((await auth('forgot-password', { email: emailOf(ann) })).status).toBe(202)
    const { rows } = await holder.query<{ payload: object }>(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'password-reset'`,
    )
    expect(rows).toHaveLength(1)
    await holder.query('commit')
    holder.release()
    const token = tokenIn((await letters(emailOf(ann), 1))[0]?.text)
    await jobsDone()
    // The queue does this with the job of a process that was killed between the commit and the end of the job.
    await sql.query(`select graphile_worker.add_job('password-reset', $1::json)`, [JSON.stringify(rows[0]!.payload)])
    await jobsDone()
    expect(await letters(emailOf(ann), 1)).toHaveLength(1)
    expect((await reset(token)).status).toBe(204)
  })

  test('a link works for 30 minutes', async () => {
    const [ann, bea, dan] = [await newPerson(product.url), await newPerson(product.url), await newPerson(product.url)]
    const tokens = [await forgot(emailOf(ann)), await forgot(emailOf(bea))] as const
    const move = async (milliseconds: number) => {
      await sql.query('update app_clock set shift = make_interval(secs => $1::float8 / 1000)', [milliseconds])
      await eventually(async () => {
        const { accessToken } = (await login(emailOf(dan), PASSWORD)).body
        return Math.abs(Number(decodeJwt(accessToken).iat) * 1000 - Date.now() - milliseconds) < 3_000
      })
    }
    try {
      await move(29 * MINUTE)
      expect((await reset(tokens[0])).status).toBe(204)
      await move(31 * MINUTE)
      expect(told(await reset(tokens[1]))).toEqual([410, 'link_expired'])
    } finally {
      await move(0)
    }
  })

  test('an invented link is refused, and a faulty password leaves the link usable', async () => {
    const ann = await newPerson(product.url)
    expect(told(await reset(randomUUID()))).toEqual([410, 'link_expired'])
    expect(told(await reset(''))).toEqual([410, 'link_expired'])
    const token = await forgot(emailOf(ann))
    const short = await reset(token, 'short')
    expect([short.status, faults(short)]).toEqual([422, ['/newPassword too_short']])
    expect(faults(await reset(token, '1234567890'))).toEqual(['/newPassword too_common'])
    expect(faults(await auth('reset-password', { token, password: 'short' }))).toEqual(['/password too_short'])
    expect(faults(await auth('reset-password', { token }))).toEqual(['/newPassword required'])
    expect((await auth('reset-password', { token, password: NEW })).status).toBe(204)
  })

  test('of a disabled account cannot be replaced, neither by a new link nor by an earlier one', async () => {
    const ann = await confirmed()
    const token = await forgot(emailOf(ann))
    await sql.query('update app_user set disabled_at = now() where id = $1', [ann.session.user.id])
    expect(told(await reset(token))).toEqual([410, 'link_expired'])
    expect((await auth('forgot-password', { email: emailOf(ann) })).status).toBe(202)
    await jobsDone()
    expect(await mailTo(product.url, emailOf(ann))).toHaveLength(1)
  })

  test('no stored value opens an account: the token is hashed, the waiting letter sealed', async () => {
    const ann = await newPerson(product.url)
    await sql.query(`begin`)
    await sql.query(`lock table password_reset`)
    await auth('forgot-password', { email: emailOf(ann) })
    await sql.query('commit')
    const token = tokenIn((await letters(emailOf(ann), 1))[0]?.text)
    const { rows } = await sql.query<{ whole: string }>(
      'select row_to_json(r)::text as whole from password_reset r where user_id = $1',
      [ann.session.user.id],
    )
    expect(rows[0]?.whole).toMatch(/"token_hash":"[0-9a-f]{64}"/)
    expect(rows[0]?.whole).not.toContain(token)
    const events = await sql.query<{ all: string }>('select json_agg(e)::text as all from security_event e')
    expect(events.rows[0]?.all).toContain('password.forgotten')
    expect(events.rows[0]?.all).not.toContain(token)
    expect(product.output()).not.toContain(token)
  })
})

/** Waits until no job waits for its first run. */
const jobsDone = () =>
  eventually(async () => {
    const { rows } = await sql.query(
      'select from graphile_worker._private_jobs where attempts = 0 or locked_at is not null',
    )
    return rows.length === 0
  })

describe('whether an account exists', () => {
  test('is not revealed by the answer', async () => {
    const ann = await newPerson(product.url)
    const seen = ({ status, headers, body }: Answer) => [status, [...headers.keys()], JSON.stringify(body)]
    const nobody = `${randomUUID()}@example.test`
    const known = await auth('forgot-password', { email: emailOf(ann) })
    expect(known.status).toBe(202)
    expect(seen(await auth('forgot-password', { email: nobody }))).toEqual(seen(known))
    await letters(emailOf(ann), 1)
    await jobsDone()
    expect(await mailTo(product.url, nobody)).toEqual([])
  })

  test('is not revealed by the time', async () => {
    const medianOf = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number
    const timed = async (email: string) => {
      const started = performance.now()
      expect((await auth('forgot-password', { email })).status).toBe(202)
      return performance.now() - started
    }
    const known: number[] = []
    const unknown: number[] = []
    const people = await Promise.all(Array.from({ length: 8 }, () => newPerson(product.url)))
    for (const person of people)
      for (let i = 0; i < 4; i += 1) {
        known.push(await timed(emailOf(person)))
        unknown.push(await timed(`${randomUUID()}@example.test`))
      }
    const ratio = medianOf(unknown) / medianOf(known)
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })

  test('is not looked up before the answer', async () => {
    const ann = await newPerson(product.url)
    const holder = await sql.connect()
    try {
      await holder.query('begin')
      // A request that looks for the account waits for this lock, and is refused after waiting too long.
      await holder.query('lock table app_user, password_reset in access exclusive mode')
      for (const email of [emailOf(ann), `${randomUUID()}@example.test`])
        expect((await auth('forgot-password', { email })).status).toBe(202)
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    await letters(emailOf(ann), 1)
  })
})

describe('limits', () => {
  const rated = (answer: Answer) => [...told(answer), Number(answer.headers.get('retry-after')) > 0]

  test('an address gets five links in 15 minutes, with or without an account', async () => {
    const ann = await newPerson(product.url)
    for (const email of [emailOf(ann), `${randomUUID()}@example.test`]) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => auth('forgot-password', { email })))
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(5)
      const over = await auth('forgot-password', { email })
      expect(rated(over)).toEqual([429, 'rate_limited', true])
      expect(Number(over.headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60)
    }
    await jobsDone()
    expect(await mailTo(product.url, emailOf(ann))).toHaveLength(5)
    await sql.query(`update try_count set ends_at = now() - interval '1 minute'`)
    expect((await auth('forgot-password', { email: emailOf(ann) })).status).toBe(202)
  })

  test('after five wrong tries of the present password in 15 minutes, even the right one is refused', async () => {
    const ann = await newPerson(product.url)
    for (let i = 0; i < 5; i += 1) {
      expect(faults(await change(ann, `not the password ${i}`, NEW))).toEqual(['/currentPassword wrong_password'])
    }
    expect(rated(await change(ann, PASSWORD, NEW))).toEqual([429, 'rate_limited', true])
    expect((await login(emailOf(ann), PASSWORD)).status).toBe(200)
  })

  test('successful changes do not count', async () => {
    const ann = await newPerson(product.url)
    for (let i = 0; i < 7; i += 1) {
      const [from, to] = i % 2 === 0 ? [PASSWORD, NEW] : [NEW, PASSWORD]
      expect((await change(ann, from, to)).status).toBe(204)
    }
  })

  test('tries are limited per network address and minute, across all accounts and links', async () => {
    await sql.query('delete from try_count')
    for (let i = 0; i < 2; i += 1) expect((await reset(randomUUID())).status).toBe(410)
    await sql.query(`update try_count set tries = 600 where tries = 2`)
    expect(rated(await reset(randomUUID()))).toEqual([429, 'rate_limited', true])
    expect(rated(await auth('forgot-password', { email: `${randomUUID()}@example.test` }))).toEqual([
      429,
      'rate_limited',
      true,
    ])
    await sql.query('delete from try_count')
  })
})

describe('changing the password', () => {
  test('needs the present one; ends every other session and notifies the person', async () => {
    const ann = await newPerson(product.url)
    await confirmEmail(ann)
    const email = emailOf(ann)
    const other = await login(email, PASSWORD)
    const token = await forgot(email)
    expect(faults(await change(ann, undefined, NEW))).toEqual(['/currentPassword required'])
    expect(faults(await change(ann, 'not the password', NEW))).toEqual(['/currentPassword wrong_password'])
    expect(faults(await change(ann, PASSWORD, 'short'))).toEqual(['/newPassword too_short'])
    expect((await me(other.body.accessToken)).status).toBe(200)

    expect((await change(ann, PASSWORD, NEW)).status).toBe(204)
    expect((await me(ann.session.accessToken)).status).toBe(200)
    expect(told(await me(other.body.accessToken))).toEqual([401, 'session_revoked'])
    expect(told(await auth('refresh', undefined, { cookie: cookieOf(other) }))).toEqual([401, 'refresh_invalid'])
    expect(told(await login(email, PASSWORD))).toEqual([401, 'invalid_credentials'])
    expect((await login(email, NEW)).status).toBe(200)
    expect((await letters(email, 2))[0]?.subject).toBe('Your Parley password was changed')
    expect(told(await reset(token))).toEqual([410, 'link_expired']) // an open link has expired too
  })

  test('of two changes at once, one counts', async () => {
    const ann = await newPerson(product.url)
    const answers = await Promise.all([change(ann, PASSWORD, `${NEW} 1`), change(ann, PASSWORD, `${NEW} 2`)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 422]))
    const won = answers.findIndex(({ status }) => status === 204) + 1
    expect((await login(emailOf(ann), `${NEW} ${won}`)).status).toBe(200)
  })

  test('a person without a password sets one within 15 minutes of signing in', async () => {
    const ann = await newPerson(product.url)
    await sql.query('update app_user set password_hash = null where id = $1', [ann.session.user.id])
    await sql.query(`update session set created_at = app_now() - interval '16 minutes' where user_id = $1`, [
      ann.session.user.id,
    ])
    expect(faults(await change(ann, undefined, NEW))).toEqual(['/currentPassword sign_in_again'])
    await sql.query(`update session set created_at = app_now() - interval '14 minutes' where user_id = $1`, [
      ann.session.user.id,
    ])
    expect((await change(ann, undefined, NEW)).status).toBe(204)
    expect((await login(emailOf(ann), NEW)).status).toBe(200)
  })

  test('a concurrent sign-in with the old password starts no session', async () => {
    const ann = await newPerson(product.url)
    await sql.query('begin')
    await sql.query('update app_user set password_hash = $2 where id = $1', [ann.session.user.id, 'another'])
    const signingIn = login(emailOf(ann), PASSWORD)
    await eventually(async () => {
      await sql.query('select pg_stat_clear_snapshot()')
      const { rows } = await sql.query(`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%for share%'`)
      return rows.length > 0
    })
    await sql.query('commit')
    expect(told(await signingIn)).toEqual([401, 'invalid_credentials'])
  })

  test('is refused without a session', async () => {
    expect(told(await auth('change-password', { currentPassword: PASSWORD, newPassword: NEW }))).toEqual([
      401,
      'unauthenticated',
    ])
  })
})
