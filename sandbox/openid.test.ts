import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addFaultTo, call, startSandbox } from './testing.ts'

type Sandbox = Awaited<ReturnType<typeof startSandbox>>
interface Discovery {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
}

const RETURN = 'http://127.0.0.1:3000/back'
const VERIFIER = randomBytes(32).toString('hex')

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox?.close())

const discover = async (which: string) =>
  (await call<Discovery>(`${sandbox.url}/${which}/.well-known/openid-configuration`)).body

async function authorizeUrl(which: string, more: Record<string, string> = {}) {
  const { authorization_endpoint: endpoint } = await discover(which)
  const query = {
    client_id: `sandbox-${which}`,
    redirect_uri: RETURN,
    response_type: 'code',
    scope: 'openid email profile',
    state: 'st4te',
    nonce: 'n0nce',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }
  return `${endpoint}?${new URLSearchParams(query)}`
}

async function approve(which: string, user = 'u1', more: Record<string, string> = {}) {
  const answer = await call(await authorizeUrl(which, { sandbox_approve: '1', sandbox_user: user, ...more }))
  expect(answer.headers.get('set-cookie')).toBeNull()
  return new URL(answer.headers.get('location') ?? '').searchParams
}

async function exchange(which: string, code: string, more: Record<string, string> = {}) {
  const { token_endpoint: endpoint } = await discover(which)
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: RETURN,
    client_id: `sandbox-${which}`,
    client_secret: `sandbox-${which}-secret`,
    code_verifier: VERIFIER,
    ...more,
  })
  return call<{ id_token: string; error: string }>(endpoint, { method: 'POST', body })
}

const claimsOf = async (which: string, user: string) => {
  const { body } = await exchange(which, (await approve(which, user)).get('code') ?? '')
  return decodeJwt(body.id_token)
}

test('a token contains the claims of each provider about its people, and is signed for the requesting app', async () => {
  const back = await approve('idp-a')
  expect(back.get('state')).toBe('st4te')
  expect(back.get('iss')).toBe(`${sandbox.url}/idp-a`)
  const { body } = await exchange('idp-a', back.get('code') ?? '')
  expect(decodeProtectedHeader(body.id_token).alg).toBe('RS256')
  expect(decodeJwt(body.id_token)).toMatchObject({
    iss: `${sandbox.url}/idp-a`,
    aud: 'sandbox-idp-a',
    nonce: 'n0nce',
    email: 'alex.u1@example.test',
    email_verified: true,
    name: 'Alex Example',
  })
  expect(await claimsOf('idp-a', 'u13')).toMatchObject({ email_verified: false })
  expect(await claimsOf('idp-a', 'u14')).not.toHaveProperty('email')

  const [own, foreign] = [await claimsOf('idp-b', 'u1'), await claimsOf('idp-b', 'u3')]
  expect(own).toMatchObject({ tid: expect.any(String), oid: expect.any(String), email: 'alex.u1@example.test' })
  expect(own).not.toHaveProperty('email_verified')
  expect(foreign['tid']).not.toBe(own['tid'])
})

test('a code works once, only for its own challenge and its own app', async () => {
  const first = (await approve('idp-a')).get('code') ?? ''
  expect((await exchange('idp-a', first, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
  const second = (await approve('idp-a')).get('code') ?? ''
  expect((await exchange('idp-b', second)).body.error).toBe('invalid_grant')
  expect((await exchange('idp-a', second, { client_secret: 'guessed' })).body.error).toBe('invalid_client')
  expect((await exchange('idp-a', second)).status).toBe(200)
  expect((await exchange('idp-a', second)).body.error).toBe('invalid_grant')
})

test('the consent page works without a script, and returns the decision', async () => {
  const page = await call(await authorizeUrl('idp-b', { sandbox_user: 'u3' }))
  expect(page.status).toBe(200)
  expect(page.text).toContain('foreign tenant')
  expect(page.text).not.toContain('<script')
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:3000;")
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")

  const origin = new URL(sandbox.url).origin
  const decide = async (decision: string, headers: Record<string, string>) =>
    call(await authorizeUrl('idp-b'), { method: 'POST', body: new URLSearchParams({ decision }), headers })
  const approved = await decide('approve', { origin })
  expect(new URL(approved.headers.get('location') ?? '').searchParams.get('code')).toBeTruthy()
  const refused = await decide('refuse', { origin })
  expect(new URL(refused.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied')
  expect((await decide('approve', { origin: 'https://evil.example' })).status).toBe(403)
})

test('nothing is sent to an unregistered app or a foreign redirect_uri', async () => {
  const wrong: Record<string, string>[] = [
    { client_id: 'other' },
    { redirect_uri: 'http://evil.example/' },
    { redirect_uri: 'javascript:1' },
  ]
  for (const more of wrong) {
    for (const approve of ['0', '1']) {
      const answer = await call(await authorizeUrl('idp-a', { ...more, sandbox_approve: approve }))
      expect(answer.status).toBe(400)
      expect(answer.headers.get('location')).toBeNull()
    }
  }
})

test('a restart keeps the keys', async () => {
  const keys = async () => (await call<{ keys: { kid: string }[] }>((await discover('idp-a')).jwks_uri)).body.keys
  const before = await keys()
  expect(before).toHaveLength(1)
  expect(before[0]).not.toHaveProperty('d')
  await sandbox.restart()
  expect(await keys()).toEqual(before)
})

test('a provider applies faults', async () => {
  await addFaultTo(sandbox.url, { match: { network: 'IDP_A', path: '/token' }, do: { status: 503 }, times: 1 })
  const code = (await approve('idp-a')).get('code') ?? ''
  expect((await exchange('idp-a', code)).status).toBe(503)
  expect((await exchange('idp-a', code)).status).toBe(200)
})
