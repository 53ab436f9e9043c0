import { randomInt } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../test/database.ts'
import { type Running, startProduct } from '../../test/product.ts'
import { type Answer, call, codeBySms, confirmEmail, newPerson, type Problem } from '../../test/world.ts'
import type { Profile, Session } from './api.ts'

let database: TestDatabase
let product: Running
let sql: pg.Client

beforeAll(async () => {
  database = await freshDatabase()
  product = await startProduct({ databaseUrl: database.url })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
}, 60_000)

afterAll(async () => {
  await sql?.end()
  await product?.stop()
  await database?.drop()
})

const auth = <T = Problem>(what: string, body: unknown, headers?: Record<string, string>) =>
  call<T>(product.url, 'POST', `/api/v1/auth/${what}`, body, headers)
const told = ({ status, body }: Answer) => [status, (body as Problem).code]
const newPhone = () => `+49170${randomInt(1_000_000, 9_999_999)}`

describe('a phone number', () => {
  test('that nobody has becomes an account with its workspace', async () => {
    const phone = newPhone()
    const sent = await auth('otp/send', { phone: `${phone.slice(0, 3)} (170) ${phone.slice(6)}` })
    expect([sent.status, sent.body]).toEqual([202, { expiresInSeconds: 300, resendAfterSeconds: 60 }])
    const code = await codeBySms(product.url, phone)
    const answer = await auth<Session>('login/phone', { phone, code, timezone: 'Europe/Berlin', language: 'ar' })
    expect(answer.status).toBe(200)
    expect(answer.body.user).toMatchObject({
      phone,
      phoneConfirmed: true,
      email: null,
      emailConfirmed: false,
      timezone: 'Europe/Berlin',
      language: 'ar',
    })
    expect(answer.body.workspaces).toMatchObject([{ role: 'OWNER' }])
    expect(told(await auth('login/phone', { phone, code }))).toEqual([401, 'invalid_code']) // once
  })
})

describe('confirming', () => {
  test('the address that one registered with', async () => {
    const ann = await newPerson(product.url)
    await confirmEmail(ann)
    expect((await ann.must<Profile>('GET', '/api/v1/auth/me')).emailConfirmed).toBe(true)
  })
})
