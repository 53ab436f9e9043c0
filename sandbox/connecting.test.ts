import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { APP, RETURN, approve, bearer, call, connect, dialogUrl, exchange, readState, startSandbox } from './testing.ts'
import type { Init } from './testing.ts'

let sandbox: Awaited<ReturnType<typeof startSandbox>>
beforeAll(async () => (sandbox = await startSandbox()))
afterAll(() => sandbox.close())

const graph = (path: string, token: string, init: Init = {}) =>
  call(`${sandbox.url}/graph/v25.0/${path}`, { ...init, headers: { ...bearer(token), ...init.headers } })

/** Submits the form of the consent page as a browser would. */
function consent(url: string, fields: [string, string][], headers = { 'sec-fetch-site': 'same-origin' }) {
  return call(url, { method: 'POST', body: new URLSearchParams(fields), headers })
}

async function codeOf(fields: [string, string][], more: Record<string, string> = {}): Promise<string> {
  const { headers } = await consent(dialogUrl(sandbox.url, more), [['decision', 'approve'], ...fields])
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
}

const error = (code: number, subcode?: number) =>
  expect.objectContaining(subcode === undefined ? { code } : { code, error_subcode: subcode })

test('consent gives a code, the code gives a token, and the token gives pages whose tokens do not expire', async () => {
  const page = await call(dialogUrl(sandbox.url))
  expect(page.text).toContain('Northside Coffee')
  expect(page.text).toMatch(/sandbox/i)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:3000")

  const sent = await call(dialogUrl(sandbox.url, { sandbox_approve: '1' }))
  const location = sent.headers.get('location') ?? ''
  expect(location.startsWith(`${RETURN}&`)).toBe(true)
  expect(new URL(location).searchParams.get('state')).toBe('st4te')
  const code = new URL(location).searchParams.get('code') ?? ''

  const short = await exchange(sandbox.url, { code, redirect_uri: RETURN })
  expect(short.body).toEqual({ access_token: expect.stringMatching(/^EAA/), token_type: 'bearer', expires_in: 5100 })
  const long = await exchange(sandbox.url, {
    grant_type: 'fb_exchange_token',
    fb_exchange_token: short.body.access_token,
  })
  expect(long.body.expires_in).toBe(5_183_944)

  const { body } = await graph(
    'me/accounts?fields=id,name,access_token,tasks,picture{url}&limit=2',
    long.body.access_token,
  )
  expect(body.data).toHaveLength(2)
  expect(body.data[0]).toMatchObject({ name: 'Northside Coffee', tasks: expect.arrayContaining(['CREATE_CONTENT']) })
  const rest = await call(body.paging.next ?? '')
  expect(rest.body.data.map(({ name }) => name)).toEqual(['Meadow and Oak Garden'])
  expect(rest.body.paging.next).toBeUndefined()

  const appToken = `${APP.id}|${APP.secret}`
  const told = await call(
    `${sandbox.url}/graph/v25.0/debug_token?input_token=${String(body.data[0]?.['access_token'])}`,
    {
      headers: bearer(appToken),
    },
  )
  expect(told.body.data).toMatchObject({
    type: 'PAGE',
    is_valid: true,
    expires_at: 0,
    profile_id: body.data[0]?.['id'],
  })
})

test('the page tokens of a short-lived token expire with it', async () => {
  const short = await exchange(sandbox.url, { code: await approve(sandbox.url, 'u2'), redirect_uri: RETURN })
  const { body } = await graph('me/accounts?fields=access_token', short.body.access_token)
  const input = String(body.data[0]?.['access_token'])
  const told = await graph(`debug_token?input_token=${input}`, short.body.access_token)
  expect(told.body.data).toMatchObject({ is_valid: true, expires_at: expect.any(Number) })
  expect((told.body.data as unknown as { expires_at: number }).expires_at).toBeGreaterThan(0)
})

test('only the selected pages and permissions are granted; the other permissions are reported as declined', async () => {
  const [first] = (await connect(sandbox.url, 'u3')).pages
  const code = await codeOf(
    [
      ['page', String(first?.id)],
      ['scope', 'pages_show_list'],
      ['scope', 'pages_read_engagement'],
    ],
    { sandbox_user: 'u3' },
  )
  const token = (await exchange(sandbox.url, { code, redirect_uri: RETURN })).body.access_token
  const { body } = await graph('me/accounts?fields=id,access_token', token)
  expect(body.data.map(({ id }) => id)).toEqual([first?.id])
  const permissions = (await graph('me/permissions', token)).body.data
  expect(permissions).toContainEqual({ permission: 'pages_show_list', status: 'granted' })
  expect(permissions).toContainEqual({ permission: 'pages_manage_posts', status: 'declined' })

  const refused = await graph(`${first?.id}/feed`, String(body.data[0]?.['access_token']), {
    method: 'POST',
    body: new URLSearchParams({ message: 'declined' }),
  })
  expect(refused).toMatchObject({ status: 403, body: { error: error(200) } })
})

test('the dialog offers a declined permission again only with auth_type=rerequest', async () => {
  const more = { sandbox_user: 'u4', scope: 'pages_show_list,read_insights' }
  await codeOf([['scope', 'pages_show_list']], more)
  expect((await call(dialogUrl(sandbox.url, more))).text).not.toContain('value="read_insights"')
  expect((await call(dialogUrl(sandbox.url, { ...more, auth_type: 'rerequest' }))).text).toContain(
    'value="read_insights"',
  )
})

test('a refusal returns access_denied with the state', async () => {
  const { status, headers } = await consent(dialogUrl(sandbox.url), [['decision', 'refuse']])
  expect(status).toBe(302)
  expect(Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)).toMatchObject({
    error: 'access_denied',
    error_reason: 'user_denied',
    error_description: 'Permissions error',
    state: 'st4te',
  })
})

test('the consent form is refused from another site', async () => {
  const fields: [string, string][] = [['decision', 'approve']]
  expect((await consent(dialogUrl(sandbox.url), fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const origin = await call(dialogUrl(sandbox.url), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: 'https://elsewhere.example' },
  })
  expect(origin.status).toBe(403)
})

test.each([
  ['an unknown app', { client_id: 'other' }],
  ['a redirect_uri that is neither local nor https', { redirect_uri: 'http://elsewhere.example/back' }],
  ['an unknown permission', { scope: 'pages_dream' }],
  ['an unknown person', { sandbox_user: 'u0' }],
])('the dialog refuses %s and does not redirect', async (_what, more) => {
  const { status, headers } = await call(dialogUrl(sandbox.url, { sandbox_approve: '1', ...more }))
  expect([status, headers.get('location')]).toEqual([400, null])
})

test('a code works once, for the same redirect_uri, with the right secret, for ten minutes', async () => {
  const code = await approve(sandbox.url)
  const wrong = await exchange(sandbox.url, { code, redirect_uri: `${RETURN}&` })
  expect(wrong).toMatchObject({ status: 400, body: { error: error(100, 36008) } })
  const secret = await exchange(sandbox.url, { code, redirect_uri: RETURN, client_secret: 'guess' })
  expect(secret).toMatchObject({ status: 400, body: { error: error(1) } })
  expect((await exchange(sandbox.url, { code, redirect_uri: RETURN, client_id: 'x' })).body.error.code).toBe(101)
  const query = new URLSearchParams({ client_id: APP.id, client_secret: APP.secret, code, redirect_uri: RETURN })
  expect((await call(`${sandbox.url}/graph/v25.0/oauth/access_token?${query}`)).status).toBe(200)
  expect((await exchange(sandbox.url, { code, redirect_uri: RETURN })).body.error).toEqual(error(100, 36009))
  expect((await exchange(sandbox.url, { code: 'AQmade-up', redirect_uri: RETURN })).body.error.code).toBe(100)

  const late = await approve(sandbox.url)
  await call(`${sandbox.url}/clock`, { json: { advanceMs: 600_001 } })
  expect((await exchange(sandbox.url, { code: late, redirect_uri: RETURN })).body.error).toEqual(error(100, 36007))
})

test('a token ends by expiry, a changed password or removal of the app, each with its own subcode', async () => {
  const removed = await connect(sandbox.url, 'u11')
  const userId = removed.page.id.replace(/^61(\d{9}).*/, '10$10001')
  expect((await graph(`${userId}/permissions`, removed.userToken, { method: 'DELETE' })).body).toEqual({
    success: true,
  })
  expect((await removed.graph('me')).body.error).toEqual(error(190, 458))

  const revoked = await connect(sandbox.url, 'u12')
  await call(`${sandbox.url}/accounts`, { json: { id: revoked.page.id, do: 'revoke' } })
  expect((await revoked.graph('me')).body.error).toEqual(error(190, 460))
  expect((await graph('me', revoked.userToken)).status).toBe(200)
  expect((await (await connect(sandbox.url, 'u12')).graph('me')).status).toBe(200)

  const old = await connect(sandbox.url, 'u13')
  await call(`${sandbox.url}/clock`, { json: { advanceMs: 60 * 86_400_000 } })
  const expired = await graph('me', old.userToken)
  expect(expired).toMatchObject({ status: 400, body: { error: error(190, 463) } })
  expect(expired.body.error.message).toContain('Session has expired on')
  expect((await old.graph('me')).status).toBe(200)
  const renewed = await exchange(sandbox.url, { grant_type: 'fb_exchange_token', fb_exchange_token: old.userToken })
  expect(renewed.body.error).toEqual(error(190, 463))
  const told = await graph(`debug_token?input_token=${old.userToken}`, `${APP.id}|${APP.secret}`)
  expect(told.body.data).toMatchObject({ is_valid: false, error: { code: 190, subcode: 463 } })
})

test('a page role that was restricted or lost causes 200 or 190/492', async () => {
  const me = await connect(sandbox.url, 'u14')
  const change = (what: string) => call(`${sandbox.url}/accounts`, { json: { id: me.page.id, do: what } })
  await change('restrict')
  expect((await me.post({ message: 'no task' })).body.error).toEqual(error(200))
  await change('dismiss')
  expect((await me.graph('me')).body.error).toEqual(error(190, 492))
  await change('restore')
  expect((await me.post({ message: 'again' })).status).toBe(200)
})

test('missing, invented and foreign tokens get different errors', async () => {
  expect((await call(`${sandbox.url}/graph/v25.0/me`)).body.error.code).toBe(104)
  expect((await graph('me', 'EAAmadeup')).body.error).toEqual(error(190))
  const [mine, other] = [await connect(sandbox.url, 'u15'), await connect(sandbox.url, 'u16')]
  expect((await mine.graph(other.page.id)).body.error).toEqual(error(100, 33))
  expect((await mine.graph(`${other.page.id}/feed`, { json: { message: 'x' } })).body.error).toEqual(error(100, 33))
  expect((await mine.graph('nowhere/at/all')).body.error.code).toBe(2500)
})

test('appsecret_proof is checked if present', async () => {
  const me = await connect(sandbox.url, 'u17')
  const proof = createHmac('sha256', APP.secret).update(me.page.access_token).digest('hex')
  expect((await me.graph(`me?appsecret_proof=${proof}`)).status).toBe(200)
  const wrong = await me.graph('me?appsecret_proof=00')
  expect(wrong.body.error).toMatchObject({ code: 100, message: expect.stringContaining('Invalid appsecret_proof') })
})

test('versions below v19 or above the newest are refused; expired ones in between get the oldest supported one', async () => {
  const { page } = await connect(sandbox.url, 'u18')
  const ask = (version: string) => call(`${sandbox.url}/graph/${version}/me`, { headers: bearer(page.access_token) })
  expect(await ask('v18.0')).toMatchObject({ status: 400, body: { error: error(2635) } })
  expect((await ask('v99.0')).body.error.code).toBe(2500)
  expect((await ask('v20.0')).headers.get('facebook-api-version')).toBe('v21.0')
  const spoken = await ask('v25.0')
  expect(spoken.headers.get('facebook-api-version')).toBe('v25.0')
  expect(spoken.headers.get('x-fb-trace-id')).toBeTruthy()
})

test('a page subscribes to its events and unsubscribes', async () => {
  const me = await connect(sandbox.url, 'u19')
  const path = `${me.page.id}/subscribed_apps`
  expect((await me.graph(path, { json: { subscribed_fields: 'feed,messages' } })).body).toEqual({ success: true })
  expect((await me.graph(path)).body.data).toMatchObject([{ subscribed_fields: ['feed', 'messages'] }])
  expect((await me.graph(path, { method: 'DELETE' })).body).toEqual({ success: true })
  expect((await me.graph(path)).body.data).toEqual([])
})

test('refusals are kept for troubleshooting', async () => {
  await graph('me', 'EAAnobody')
  expect((await readState(sandbox.url)).refused.at(-1)).toMatchObject({ path: '/sandbox/graph/v25.0/me', code: 190 })
})
