import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../src/team/identity/api.ts'
import type { Post } from '../src/publishing/posts/api.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type Running, startProduct, startSandbox } from './product.ts'
import { addFault, asPerson, call, codeByMail, codeBySms, confirmEmail, connectPages, untilStatus } from './world.ts'

// Whatever happens, even the most verbose log holds no secret.

let database: TestDatabase
let sandbox: Running
let product: Running

beforeAll(async () => {
  database = await freshDatabase()
  sandbox = await startSandbox()
  product = await startProduct({
    databaseUrl: database.url,
    env: {
      LOG_LEVEL: 'trace',
      NET_PAGE_GRAPH_URL: `${sandbox.url}/graph`,
      NET_PAGE_DIALOG_URL: `${sandbox.url}/dialog`,
      NET_PAGE_APP_ID: 'sandbox-page-app',
      NET_PAGE_APP_SECRET: 'sandbox-page-secret',
    },
  })
})
afterAll(async () => {
  await product?.stop()
  await sandbox?.stop()
  await database?.drop()
})

test('the most verbose log holds no password, token, code, cookie or text', async () => {
  const password = `marker-${randomUUID()}`
  const email = `ann-${randomUUID()}@example.test`
  const secrets = [password]
  const registered = await call<Session>(product.url, 'POST', '/api/v1/auth/register', { email, password, name: 'Ann' })
  const cookie = registered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  secrets.push(registered.body.accessToken, cookie.slice('refresh_token='.length))
  const ann = asPerson(product.url, registered.body)

  // Codes and a phone number: correct, wrong, and in a broken body.
  const phone = `+49170${randomInt(1_000_000, 9_999_999)}`
  const otp = (what: string, body: unknown) =>
    call<Session>(product.url, 'POST', `/api/v1/auth/${what}`, body, { 'content-type': 'application/json' })
  await otp('otp/send', { phone })
  const byPhone = await codeBySms(product.url, phone)
  await otp('login/phone', { phone, code: '4815162342' })
  await otp('login/phone', `{"phone":"${phone}","code":"${byPhone}"`)
  expect((await otp('login/phone', { phone, code: byPhone })).status).toBe(200)
  const byMail = await codeByMail(product.url, email)
  await confirmEmail(ann)
  secrets.push(phone, phone.slice(3), '4815162342', email)
  const codes = [byPhone, byMail]

  // Failures log the most: a wrong password, a broken body, a forged token, secrets in a query.
  for (const wrong of [`marker-${randomUUID()}`, `marker-${randomUUID()}`]) {
    secrets.push(wrong)
    await call(product.url, 'POST', '/api/v1/auth/login', { email, password: wrong })
    await call(product.url, 'POST', '/api/v1/auth/login', `{"email":"${email}","password":"${wrong}"`, {
      'content-type': 'application/json',
    })
    await call(product.url, 'GET', '/posts', undefined, { authorization: `Bearer ${wrong}` })
    await call(product.url, 'GET', `/api/v1/auth/oauth/NET_PAGE/callback?code=${wrong}&state=${wrong}`)
    await call(product.url, 'POST', '/api/v1/auth/refresh', {}, { cookie: `refresh_token=${wrong}` })
    await call(product.url, 'GET', `/api/v1/reports/${wrong}`)
    await call(product.url, 'GET', `/app/reports/${wrong}`)
  }
  await call(product.url, 'POST', '/api/v1/auth/refresh', {}, { cookie })

  const [page] = await connectPages(ann, 'u41')
  const text = `marker-${randomUUID()}`
  secrets.push(text)
  await addFault(sandbox.url, { match: { path: '/feed', method: 'POST' }, do: { status: 500 }, times: 1 })
  const post = await ann.must<Post>('POST', '/posts', { caption: text, targets: [page!.id], action: 'publish' })
  await untilStatus(ann, post.id, ['PUBLISHING'])
  const second = await ann.must<Post>('POST', '/posts', {
    caption: `${text} 2`,
    targets: [page!.id],
    action: 'publish',
  })
  await untilStatus(ann, second.id, ['PUBLISHED'])
  await ann.call('DELETE', `/social-accounts/${page!.id}?confirm=true`)

  const { body: state } = await call<object>(sandbox.url, 'GET', '/state')
  const networkTokens = JSON.stringify(state).match(/EAA[A-Za-z0-9]{10,}/g) ?? []
  const log = product.output()
  expect(log.split('\n').length).toBeGreaterThan(20)
  expect(log).toContain('"msg":"answered"')
  expect(log).toContain('/app/reports/[secret]')
  // Six digits may be part of a time or an id by chance, but must not be a word.
  for (const code of codes)
    expect(new RegExp(`(?<![\\w.-])${code}(?![\\w.-])`).test(log), 'the log holds a code').toBe(false)
  for (const secret of [...secrets, ...networkTokens, 'sandbox-page-secret', 'EAA', 'argon2']) {
    expect(secret.length).toBeGreaterThan(2)
    expect(log.includes(secret), `the log holds ${secret.slice(0, 12)}…`).toBe(false)
  }
})
