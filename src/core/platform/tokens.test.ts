import { createHmac, randomBytes } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { createTokens } from './tokens.ts'

const accessSecret = randomBytes(32).toString('hex')
const refreshSecret = randomBytes(32).toString('hex')
const tokens = createTokens(accessSecret, refreshSecret)
const now = new Date('2026-03-01T12:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const person = { userId: 'user-1', sessionId: 'session-1' }

interface Changes {
  alg?: string
  typ?: string
  iss?: string
  aud?: string
  sub?: string | undefined
  sid?: unknown
  exp?: number | undefined
  iat?: number | undefined
}

const seconds = Math.floor(now.getTime() / 1000)
const access = { iss: 'parley', aud: 'parley', sub: 'user-1', sid: 'session-1', iat: seconds, exp: seconds + 900 }

/** An access token with the right secret and only the given parts changed. */
function forged({ alg = 'HS256', typ = 'at+jwt', ...claims }: Changes, secret = accessSecret): Promise<string> {
  return new SignJWT({ ...access, ...claims }).setProtectedHeader({ alg, typ }).sign(new TextEncoder().encode(secret))
}

const unsigned = (header: object, payload: object) =>
  [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

describe('an access token', () => {
  test('names its person and session', async () => {
    const token = await tokens.signAccess(person, now)
    expect(await tokens.verifyAccess(token, now)).toMatchObject(person)
    expect(await createTokens(accessSecret, refreshSecret).verifyAccess(token, now)).toMatchObject(person)
    expect(await tokens.verifyAccess(await forged({}), now)).toMatchObject(person)
  })

  test.each<[string, Changes]>([
    ['issuer', { iss: 'somebody' }],
    ['audience', { aud: 'somebody' }],
    ['type', { typ: 'rt+jwt' }],
    ['usual type', { typ: 'JWT' }],
    ['algorithm', { alg: 'HS512' }],
    ['subject', { sub: undefined }],
    ['empty subject', { sub: '' }],
    ['session', { sid: undefined }],
    ['kind of session', { sid: 1 }],
    ['time of issue', { iat: undefined }],
    ['end', { exp: undefined }],
  ])('with a wrong or missing %s is refused', async (_what, changes) => {
    await expect(tokens.verifyAccess(await forged(changes), now)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('signed with another secret is refused', async () => {
    for (const secret of [randomBytes(32).toString('hex'), refreshSecret]) {
      await expect(tokens.verifyAccess(await forged({}, secret), now)).rejects.toMatchObject({
        code: 'unauthenticated',
      })
    }
  })

  test.each(['none', 'None', 'HS256'])(
    'without a signature is refused, whatever algorithm it names: %s',
    async (alg) => {
      const token = `${unsigned({ alg, typ: 'at+jwt' }, access)}.`
      await expect(tokens.verifyAccess(token, now)).rejects.toMatchObject({ code: 'unauthenticated' })
    },
  )

  test.each([
    { jwk: { kty: 'oct', k: Buffer.from('a key of the sender').toString('base64url') } },
    { jku: 'https://keys.example/set.json' },
    { x5u: 'https://keys.example/chain.pem' },
    { kid: '../../dev/null' },
  ])('that carries or names its own key is refused: %j', async (more) => {
    const plain = unsigned({ alg: 'HS256', typ: 'at+jwt', ...more }, access)
    for (const secret of ['a key of the sender', '']) {
      const token = `${plain}.${createHmac('sha256', secret).update(plain).digest('base64url')}`
      await expect(tokens.verifyAccess(token, now)).rejects.toMatchObject({ code: 'unauthenticated' })
    }
  })

  test('signed with a private key is refused, and so is one that is not valid yet', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const signed = new SignJWT(access).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' }).sign(privateKey)
    await expect(tokens.verifyAccess(await signed, now)).rejects.toMatchObject({ code: 'unauthenticated' })
    const early = new SignJWT({ ...access, nbf: seconds + 60 }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    const token = await early.sign(new TextEncoder().encode(accessSecret))
    await expect(tokens.verifyAccess(token, now)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('with changed claims is refused, even if the unchanged token was seen before', async () => {
    const token = await tokens.signAccess(person, now)
    await tokens.verifyAccess(token, now)
    const [header, , signature] = token.split('.')
    const claims = Buffer.from(JSON.stringify({ ...access, sub: 'user-2' })).toString('base64url')
    const changed = [header, claims, signature].join('.')
    await expect(tokens.verifyAccess(changed, now)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test.each(['', 'a.b.c', 'Bearer', 'ey..'])('that is malformed is refused: "%s"', async (text) => {
    await expect(tokens.verifyAccess(text, now)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('lives 15 minutes and is then expired, not invalid', async () => {
    const token = await tokens.signAccess(person, now)
    const fresh = createTokens(accessSecret, refreshSecret)
    for (const seen of [tokens, fresh]) {
      expect(await seen.verifyAccess(token, later(tokens.accessSeconds - 1))).toMatchObject(person)
      await expect(seen.verifyAccess(token, later(tokens.accessSeconds))).rejects.toMatchObject({
        code: 'token_expired',
      })
    }
    const unseen = createTokens(accessSecret, refreshSecret)
    await expect(unseen.verifyAccess(token, later(900))).rejects.toMatchObject({ code: 'token_expired' })
    expect(tokens.accessSeconds).toBe(900)
  })

  test('that is expired and badly signed is invalid, not expired', async () => {
    const token = await forged({ exp: seconds - 10 }, refreshSecret)
    await expect(tokens.verifyAccess(token, now)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

describe('a refresh token', () => {
  const session = { sessionId: 'session-1', tokenId: 'token-1' }
  const sign = () => tokens.signRefresh(session, now, later(3600))

  test('names its session and its token until it expires', async () => {
    expect(await tokens.verifyRefresh(await sign(), later(3599))).toEqual(session)
    expect(await tokens.verifyRefresh(await sign(), later(3600))).toBeUndefined()
  })

  test('is the same for the same ids and times', async () => {
    expect(await sign()).toBe(await sign())
    expect(await tokens.signRefresh({ ...session, tokenId: 'token-2' }, now, later(3600))).not.toBe(await sign())
  })

  test('is not an access token, nor the other way round', async () => {
    await expect(tokens.verifyAccess(await sign(), now)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await tokens.verifyRefresh(await tokens.signAccess(person, now), now)).toBeUndefined()
    const oneSecret = createTokens(accessSecret, accessSecret)
    const refresh = await oneSecret.signRefresh(session, now, later(3600))
    await expect(oneSecret.verifyAccess(refresh, now)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await oneSecret.verifyRefresh(await oneSecret.signAccess(person, now), now)).toBeUndefined()
  })

  test('that is unsigned, signed with another secret or algorithm, or malformed is not accepted', async () => {
    const claims = { iss: 'parley', aud: 'parley', sub: 'session-1', jti: 'token-1', iat: seconds, exp: seconds + 900 }
    const plain = unsigned({ alg: 'HS256', typ: 'rt+jwt' }, claims)
    const signed = (secret: string) => `${plain}.${createHmac('sha256', secret).update(plain).digest('base64url')}`
    expect(await tokens.verifyRefresh(signed(refreshSecret), now)).toEqual(session)
    expect(await tokens.verifyRefresh(signed(accessSecret), now)).toBeUndefined()
    expect(await tokens.verifyRefresh(`${plain}.`, now)).toBeUndefined()
    expect(await tokens.verifyRefresh(`${unsigned({ alg: 'none', typ: 'rt+jwt' }, claims)}.`, now)).toBeUndefined()
    expect(await tokens.verifyRefresh('', now)).toBeUndefined()
  })
})
