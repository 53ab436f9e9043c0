import { afterEach, expect, test } from 'vitest'
import { bearer, call, connect, readState, startSandbox } from './testing.ts'

let sandbox: Awaited<ReturnType<typeof startSandbox>>
afterEach(() => sandbox.close())

const HOUR = 3_600_000

test('the 201st call of a person within an hour is refused with any of their tokens, until an hour has passed', async () => {
  sandbox = await startSandbox()
  const me = await connect(sandbox.url)
  const calls = async () => (await readState(sandbox.url)).users[0]?.calls ?? 0
  while ((await calls()) < 199) await me.graph('me?fields=id')

  const last = await me.post({ message: 'the 200th call' })
  expect(last.status).toBe(200)
  expect(JSON.parse(last.headers.get('x-app-usage') ?? '')).toMatchObject({ call_count: 100 })
  const refused = await me.post({ message: 'the 201st call' })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 32, is_transient: true } } })
  const business = JSON.parse(refused.headers.get('x-business-use-case-usage') ?? '')
  expect(business[me.page.id][0]).toMatchObject({ type: 'pages', call_count: 100, estimated_time_to_regain_access: 60 })
  const other = await call(`${sandbox.url}/graph/v25.0/me`, { headers: bearer(me.pages[1]?.access_token ?? '') })
  expect(other.body.error.code).toBe(32)
  const user = await call(`${sandbox.url}/graph/v25.0/me`, { headers: bearer(me.userToken) })
  expect(user.body.error.code).toBe(17)
  expect((await (await connect(sandbox.url, 'u2')).graph('me')).status).toBe(200)

  await call(`${sandbox.url}/clock`, { json: { advanceMs: HOUR } })
  const open = await me.post({ message: 'an hour later' })
  expect(open.status).toBe(200)
  expect(JSON.parse(open.headers.get('x-page-usage') ?? '').call_count).toBe(0)
  expect((await readState(sandbox.url)).users[0]).toMatchObject({ calls: 204, maxInHour: 203 })
})

test('the maximum number of calls in any hour is exact, even across the boundary of two clock hours', async () => {
  sandbox = await startSandbox({ callLimit: 5 })
  const me = await connect(sandbox.url)
  const spend = async (calls: number, thenMs: number) => {
    for (let made = 0; made < calls; made += 1) await me.graph('me')
    await call(`${sandbox.url}/clock`, { json: { advanceMs: thenMs } })
  }
  await call(`${sandbox.url}/clock`, { json: { advanceMs: 2 * HOUR } })
  await spend(2, 40 * 60_000)
  await spend(2, 30 * 60_000)
  await spend(2, 0)
  expect((await readState(sandbox.url)).users[0]?.maxInHour).toBe(4)
  expect((await me.graph('me')).status).toBe(200)
  expect((await me.graph('me')).body.error.code).toBe(32)
})
