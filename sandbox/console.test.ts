import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, connect, live, readState, startSandbox } from './testing.ts'

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let guarded: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => {
  sandbox = await startSandbox()
  guarded = await startSandbox({ token: 'let-me-in' })
})
afterAll(async () => {
  await sandbox.close()
  await guarded.close()
})

/** Sends a request with headers that fetch does not allow, such as `Host`. */
function ask(
  address: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  return new Promise((done, fail) => {
    const sent = request(address, { headers }, (response) => {
      response.resume()
      done({ status: response.statusCode ?? 0, headers: response.headers })
    })
    sent.on('error', fail)
    sent.end()
  })
}

/** Submits a form of the console as a browser would. */
const submit = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
) => call(`${sandbox.url}/console/${path}`, { method: 'POST', body: new URLSearchParams(fields), headers })

test.each(['', '/state', '/feed/610000000010001', '/graph/v25.0/me', '/dialog/v25.0/dialog/oauth', '/nowhere'])(
  'a host other than this machine is refused at %s',
  async (path) => {
    expect((await ask(sandbox.url + path, { host: 'sandbox.example' })).status).toBe(403)
    expect((await ask(sandbox.url + path, { host: '127.0.0.1.example:80' })).status).toBe(403)
    expect((await ask(sandbox.url + path, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(403)
  },
)

test('localhost and 127.x are this machine', async () => {
  for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000']) {
    expect((await ask(`${sandbox.url}/state`, { host })).status).toBe(200)
  }
})

test('a token admits other machines, and a cookie then replaces it', async () => {
  const host = 'sandbox.example'
  const state = `${guarded.url}/state`
  expect((await ask(state, { host })).status).toBe(403)
  expect((await ask(state, { host, 'x-sandbox-token': 'guess' })).status).toBe(403)
  expect((await ask(state, { host, authorization: 'Bearer let-me-in' })).status).toBe(200)
  expect((await ask(state, { host, 'x-sandbox-token': 'let-me-in' })).status).toBe(200)
  const entered = await ask(`${state}?sandbox_token=let-me-in`, { host })
  expect(entered.status).toBe(200)
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  expect((await ask(state, { host, cookie })).status).toBe(200)
})

test('control routes with effects accept only JSON, and not from another site', async () => {
  const json = { advanceMs: 0 }
  expect((await call(`${sandbox.url}/clock`, { json })).status).toBe(200)
  expect((await call(`${sandbox.url}/clock`, { json, headers: { origin: 'https://elsewhere.example' } })).status).toBe(
    403,
  )
  expect((await call(`${sandbox.url}/clock`, { json, headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  expect((await call(`${sandbox.url}/reset`, { method: 'POST', body: new URLSearchParams() })).status).toBe(415)
  expect((await call(`${sandbox.url}/reset`, { method: 'POST', body: '{}' })).status).toBe(415)
  const cleared = await call(`${sandbox.url}/faults`, { method: 'DELETE', headers: { origin: 'null' } })
  expect(cleared.status).toBe(403)
  expect((await call(`${sandbox.url}/clock`, { json: { advanceMs: -1 } })).status).toBe(422)
  expect((await call(`${sandbox.url}/clock`, { json, headers: { origin: new URL(sandbox.url).origin } })).status).toBe(
    200,
  )
})

test('forms of the console are accepted only from its own pages', async () => {
  const fields = { minutes: '1' }
  expect((await submit('clock', fields, {})).status).toBe(403)
  expect((await submit('clock', fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await submit('clock', fields, { origin: 'https://elsewhere.example' })).status).toBe(403)
  expect((await submit('clock', fields, { origin: 'null' })).status).toBe(403)
  expect((await submit('clock', fields, { origin: new URL(sandbox.url).origin })).status).toBe(303)
})

test('the forms move the clock, set and clear faults, expire tokens and reset the sandbox', async () => {
  const me = await connect(sandbox.url, 'u9')
  await me.post({ message: 'by the console' })
  const { now } = await readState(sandbox.url)
  expect((await submit('clock', { minutes: '90' })).headers.get('location')).toBe('/sandbox')
  expect(Date.parse((await readState(sandbox.url)).now) - Date.parse(now)).toBeGreaterThanOrEqual(90 * 60_000)

  const fault = { network: 'NET_PAGE', method: '', path: '/feed', nth: '', what: 'drop after', delayMs: '', times: '1' }
  expect((await submit('faults', fault)).status).toBe(303)
  const [set] = (await readState(sandbox.url)).faults
  expect(set).toMatchObject({ match: { network: 'NET_PAGE', path: '/feed' }, do: { drop: 'after' }, times: 1 })
  await submit('faults/clear', { id: set?.id ?? '' })
  expect((await readState(sandbox.url)).faults).toEqual([])

  const shown = await call(sandbox.url)
  expect(shown.text).toContain(`value="${me.page.id}"`)
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(shown.text).not.toMatch(/<script|\sstyle=|\son[a-z]+=/)
  await submit('accounts', { id: me.page.id, do: 'expire' })
  expect((await me.graph('me')).body.error).toMatchObject({ code: 190, error_subcode: 463 })
  await submit('reset', {})
  expect(await live(sandbox.url, me.page.id)).toEqual([])
})

test('a mistake in a form is reported', async () => {
  expect((await submit('clock', { minutes: 'soon' })).status).toBe(422)
  expect((await submit('accounts', { id: '17', do: 'expire' })).status).toBe(422)
})

test('every page is labelled as the sandbox', async () => {
  for (const path of ['', '/feed/610000000010001', '/nowhere']) {
    const { text } = await call(sandbox.url + path)
    expect(text).toMatch(/<title>[^<]+ · sandbox<\/title>/)
    expect(text).toMatch(/<header class="banner">\s*<a [^>]*>Sandbox<\/a>/)
  }
})
