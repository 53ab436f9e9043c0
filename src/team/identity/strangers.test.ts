import { randomInt, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Running, startProduct } from '../../../test/product.ts'
import {
  type Answer,
  call,
  codeByMail,
  confirmEmail,
  eventually,
  newPerson,
  PASSWORD,
  type Person,
  type Problem,
  textsTo,
} from '../../../test/world.ts'
import type { Session } from './api.ts'

// What strangers cannot do to a person whose address or number they know. Each request says which network it comes
// from.

let database: TestDatabase
let product: Running
let sql: pg.Client

beforeAll(async () => {
  database = await freshDatabase()
  const env = { TRUST_PROXY: 'true', SIGN_IN_TRIES_PER_MINUTE: '2', CODES_PER_HOUR: '1' } // the sandbox allows ten times as many
  product = await startProduct({ databaseUrl: database.url, env })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
beforeEach(() => sql.query('delete from try_count'))

afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
})

const from = (address: string) => ({ 'x-forwarded-for': address })
const STRANGER = from('203.0.113.7')
const OWNER = from('198.51.100.9')
const auth = <T = Problem>(what: string, body: unknown, headers = STRANGER) =>
  call<T>(product.url, 'POST', `/api/v1/auth/${what}`, body, headers)
const told = ({ status, body }: Answer) => [status, (body as Problem).code]
const faults = ({ body }: Answer) => (body as Problem).errors?.map(({ path, code }) => `${path} ${code}`)
const emailOf = (person: Person) => person.session.user.email as string
const newAddress = () => `${randomUUID()}@example.test`
const aMinuteLater = () => sql.query(`update one_time_code set sent_at = sent_at - interval '61 seconds'`)
const mailsTo = async (address: string) => {
  const { body } = await call<{ data: { to: string; text: string }[] }>(product.url, 'GET', '/sandbox/mail')
  return body.data.filter(({ to }) => to === address)
}
/** Waits until no job is left. */
const quiet = () =>
  eventually(async () => (await sql.query('select from graphile_worker._private_jobs')).rows.length === 0)

async function confirmed(): Promise<Person> {
  const ann = await newPerson(product.url)
  await confirmEmail(ann)
  await sql.query('delete from try_count')
  await aMinuteLater()
  return ann
}

describe('registering', () => {
  test('is counted per network address before anything is hashed, whatever its outcome', async () => {
    const taken = { email: emailOf(await newPerson(product.url)), password: PASSWORD }
    for (let i = 0; i < 20; i += 1) expect((await auth('register', { ...taken, password: '1' })).status).toBe(422)
    expect(told(await auth('register', taken))).toEqual([429, 'rate_limited'])
    expect(Number((await auth('register', taken)).headers.get('retry-after'))).toBeGreaterThan(0)
    expect(told(await auth('register', taken, OWNER))).toEqual([409, 'email_taken'])
  })

  test('mails no more codes than one network address may request; a person without one requests it later', async () => {
    const people = Array.from({ length: 12 }, newAddress)
    for (const email of people)
      expect((await auth('register', { email, password: PASSWORD, name: 'Win at https://evil.example' })).status).toBe(
        201,
      )
    await quiet()
    const letters = (await Promise.all(people.map(mailsTo))).map(({ length }) => length)
    expect(letters).toEqual([...Array<number>(10).fill(1), 0, 0])
    const [letter] = await mailsTo(people[0] as string)
    expect(letter?.text).toMatch(/\d{6}/)
    expect(letter?.text).not.toContain('evil')
  })
})

describe('strangers who know an address', () => {
  test('and use up its password tries cannot use up the tries of the code that its owner gets by mail', async () => {
    const ann = await confirmed()
    const email = emailOf(ann)
    for (let i = 0; i < 5; i += 1) await auth('login', { email, password: 'wrong wrong wrong' })
    expect(told(await auth('login', { email, password: PASSWORD }, OWNER))).toEqual([429, 'rate_limited'])
    for (let i = 0; i < 5; i += 1) {
      await auth('otp/send', { email })
      await aMinuteLater()
    }
    for (let i = 0; i < 5; i += 1) await auth('otp/verify', { email, code: '12345' })
    expect(told(await auth('otp/send', { email }))).toEqual([429, 'rate_limited'])
    expect(told(await auth('otp/verify', { email, code: '12345' }, from('203.0.113.99')))).toEqual([
      401,
      'code_exhausted',
    ])
    expect((await auth('otp/send', { email }, OWNER)).status).toBe(202)
    expect(told(await auth('otp/verify', { email, code: '12345' }, from('203.0.113.99')))).toEqual([
      429,
      'rate_limited',
    ])
    await quiet()
    const code = await codeByMail(product.url, email)
    const answer = await auth<Session>('otp/verify', { email, code }, OWNER)
    expect(answer.body.user?.id).toBe(ann.session.user.id)
  })

  test('can send it at most 30 letters a day, from however many networks', async () => {
    const email = newAddress()
    const answers = []
    for (let network = 0; network < 4; network += 1)
      for (let i = 0; i < 10; i += 1) {
        await sql.query(
          `update try_count set ends_at = now() - interval '1 second' where ends_at < now() + interval '2 hours'`,
        )
        answers.push((await auth('otp/send', { email }, from(`203.0.${network}.7`))).status)
        await aMinuteLater()
      }
    expect(answers.filter((status) => status === 202)).toHaveLength(30)
  })

  test('cannot block the link for a new password for its owner', async () => {
    const email = emailOf(await confirmed())
    for (let i = 0; i < 5; i += 1) expect((await auth('forgot-password', { email })).status).toBe(202)
    expect(told(await auth('forgot-password', { email }))).toEqual([429, 'rate_limited'])
    expect((await auth('forgot-password', { email }, OWNER)).status).toBe(202)
  })

  test('and request a code to confirm it neither replace nor use up another person’s code', async () => {
    const ann = await newPerson(product.url)
    const code = await codeByMail(product.url, emailOf(ann))
    const eve = await newPerson(product.url, 'Eve')
    const to = { email: emailOf(ann) }
    expect(told(await eve.call('POST', '/api/v1/auth/otp/send', to))).toEqual([202, undefined])
    for (let i = 0; i < 5; i += 1) await eve.call('POST', '/api/v1/auth/otp/verify', { ...to, code: '12345' })
    const answer = await ann.call<{ verified: boolean }>('POST', '/api/v1/auth/otp/verify', { ...to, code })
    expect([answer.status, answer.body.verified]).toEqual([200, true])
  })
})

describe('texts', () => {
  test.each(['+979123456789', '+449098790123', '+881612345678', '+499001234567', '+493012345678'])(
    'go only to mobile phones, not to %s',
    async (phone) => {
      expect(faults(await auth('otp/send', { phone }))).toEqual(['/phone not_mobile'])
    },
  )

  test('to one country leave the share of others untouched, even with a common prefix', async () => {
    expect((await auth('otp/send', { phone: `+1212555${randomInt(1000, 9999)}` })).status).toBe(202)
    await sql.query(`update try_count set tries = 200 where ends_at > now() + interval '2 hours' and tries = 1`)
    expect(told(await auth('otp/send', { phone: `+1212555${randomInt(1000, 9999)}` }))).toEqual([429, 'rate_limited'])
    const canadian = `+1416555${randomInt(1000, 9999)}`
    expect((await auth('otp/send', { phone: canadian })).status).toBe(202)
    await eventually(async () => (await textsTo(product.url, canadian)).length === 1)
  })
})
