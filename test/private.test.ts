import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'
import { call, newPerson, PASSWORD, type Person, type Problem } from './world.ts'

const { product } = useProduct()
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

test.each([
  '/api/v1/auth/me',
  '/api/v1/posts',
  '/api/v1/workspaces',
  '/api/v1/auth/sessions',
  '/api/v1/review/none',
  '/sandbox/mail',
  '/metrics',
])('no cache may store the answer of %s', async (path) => {
  const answer = await call(product.url, 'GET', path, undefined, { authorization: `Bearer ${ann.session.accessToken}` })
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test('only the owner of the process can read the journal of the sandbox', async () => {
  const { mode } = await stat(join(product.dataDir, 'sandbox', 'journal.ndjson'))
  expect(mode & 0o777).toBe(0o600)
})

test.each([
  ['with the Kelvin sign in its name', '\u212Aelvin@example.test'],
  ['with the Kelvin sign in its domain', 'kelvin@\u212Aelvin.test'],
  ['with a zero-width space', 'kel\u200Bvin@example.test'],
  ['with a Cyrillic letter', 'k\u0435lvin@example.test'],
])('an address %s is refused, and never matched', async (_what, email) => {
  for (const [path, body] of [
    ['register', { email, password: PASSWORD, name: 'Kelvin', timezone: 'UTC' }],
    ['login', { email, password: PASSWORD }],
    ['otp/send', { email }],
    ['forgot-password', { email }],
  ] as const) {
    const { status, body: problem } = await call<Problem>(product.url, 'POST', `/api/v1/auth/${path}`, body)
    expect([status, problem.errors?.[0]?.path], path).toEqual([422, '/email'])
  }
})
