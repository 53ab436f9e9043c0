import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { call, connect, live, readState, startSandbox } from './testing.ts'

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let me: Awaited<ReturnType<typeof connect>>
beforeAll(async () => {
  sandbox = await startSandbox({ timeScale: 20 })
  me = await connect(sandbox.url)
})
afterEach(() => call(`${sandbox.url}/faults`, { method: 'DELETE' }))
afterAll(() => sandbox.close())

const set = (json: object) => call(`${sandbox.url}/faults`, { json })
const messages = async () => (await live(sandbox.url, me.page.id)).map(({ message }) => message)

test('drop before cuts the connection, and nothing is live', async () => {
  await set({ match: { method: 'POST', path: '/feed' }, do: { drop: 'before' }, times: 1 })
  await expect(me.post({ message: 'cut before' })).rejects.toThrow('fetch failed')
  expect(await messages()).not.toContain('cut before')
  expect((await me.post({ message: 'cut before' })).status).toBe(200)
})

test('drop after cuts the connection once the post is live, and the post can be read back', async () => {
  await set({ match: { network: 'NET_PAGE', method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
  await expect(me.post({ message: 'cut after' })).rejects.toThrow('fetch failed')
  const { body } = await me.graph(`${me.page.id}/published_posts?fields=message&limit=1`)
  expect(body.data[0]).toMatchObject({ message: 'cut after' })
  expect((await me.post({ message: 'cut after' })).body.error.code).toBe(506)
})

test('a status replaces the effect; with after, it replaces only the answer', async () => {
  await set({ match: { path: '/feed' }, do: { status: 500 }, times: 1 })
  const refused = await me.post({ message: 'status before' })
  expect(refused).toMatchObject({ status: 500, body: { error: { code: 2, is_transient: true } } })
  expect(await messages()).not.toContain('status before')
  await set({ match: { path: '/feed' }, do: { status: 502, body: '<h1>Bad gateway</h1>', after: true }, times: 1 })
  expect(await me.post({ message: 'status after' })).toMatchObject({ status: 502, text: '<h1>Bad gateway</h1>' })
  expect(await messages()).toContain('status after')
})

test('a delay precedes the effect, or with after the answer, divided by the time scale', async () => {
  await set({ match: { path: '/feed' }, do: { delayMs: 8000 }, times: 1 })
  const began = performance.now()
  const waiting = me.post({ message: 'slow to do' })
  await expect.poll(async () => (await readState(sandbox.url)).faults[0]?.used).toBe(1)
  expect((await me.post({ message: 'done meanwhile' })).status).toBe(200)
  expect((await waiting).status).toBe(200)
  expect(performance.now() - began).toBeGreaterThan(390)
  expect((await messages()).slice(-2)).toEqual(['done meanwhile', 'slow to do'])
  await set({ match: { path: '/feed' }, do: { delayMs: 40_000, after: true }, times: 1 })
  let isAnswered = false
  const answered = me.post({ message: 'slow to answer' }).finally(() => (isAnswered = true))
  await expect.poll(messages).toContain('slow to answer')
  expect(isAnswered).toBe(false)
  expect((await answered).status).toBe(200)
})

test('nth affects only that call; a path may be a regular expression and include the query', async () => {
  await set({ match: { path: '/me$', nth: 2 }, do: { status: 503 } })
  await set({ match: { path: 'me\\?fields=name' }, do: { status: 504 } })
  const statuses = []
  for (const path of ['me', 'me/accounts', 'me', 'me', 'me?fields=name']) statuses.push((await me.graph(path)).status)
  expect(statuses).toEqual([200, 400, 503, 200, 504])
})

test('fields affect only a call whose form, JSON object or query has them', async () => {
  await set({ match: { path: '/feed', fields: { message: 'of a form' } }, do: { status: 503 } })
  await set({ match: { path: '/feed', fields: { message: 'of JSON' } }, do: { status: 504 } })
  expect((await me.post({ message: 'another' })).status).toBe(200)
  expect((await me.post({ message: 'of JSON' })).status).toBe(504)
  const form = new URLSearchParams({ message: 'of a form' })
  expect((await me.graph(`${me.page.id}/feed`, { method: 'POST', body: form })).status).toBe(503)
})

test('a probability with a seed affects the same calls each time', async () => {
  const run = async () => {
    await set({ match: { path: '/me', probability: 0.5, seed: 7 }, do: { status: 503 } })
    const statuses = []
    for (let made = 0; made < 16; made += 1) statuses.push((await me.graph('me')).status)
    await call(`${sandbox.url}/faults`, { method: 'DELETE' })
    return statuses
  }
  const first = await run()
  expect(new Set(first)).toEqual(new Set([200, 503]))
  expect(await run()).toEqual(first)
})

test.each([
  [{ do: {} }],
  [{ do: { drop: 'sometimes' } }],
  [{ do: { status: 500, drop: 'after' } }],
  [{ match: { network: 'NET_OTHER' }, do: { status: 500 } }],
  [{ match: { path: '(' }, do: { status: 500 } }],
  [{ match: {}, do: { status: 500 }, often: 3 }],
])('an invalid fault is refused: %j', async (fault) => {
  expect((await set(fault)).status).toBe(422)
  expect((await readState(sandbox.url)).faults).toEqual([])
})

test('a text can request a failure, a rate limit, and a lost answer', async () => {
  const failed = await me.post({ message: 'magic [sim:fail 368]' })
  expect(failed.body.error).toMatchObject({ code: 368 })
  expect((await me.post({ message: 'magic [sim:fail 1366046]' })).body.error.error_subcode).toBe(1366046)
  expect((await me.post({ message: 'magic [sim:429]' })).body.error.code).toBe(32)
  expect((await messages()).filter((message) => message.startsWith('magic'))).toEqual([])
  await expect(me.post({ message: 'magic [sim:drop-after]' })).rejects.toThrow('fetch failed')
  expect(await messages()).toContain('magic [sim:drop-after]')
  await me.post({ message: 'something else' })
  expect((await me.post({ message: 'magic [sim:drop-after]' })).status).toBe(200)
})
