import { errors as joseErrors, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { AppError } from '../errors.ts'

const ISSUER = 'parley'
const ACCESS_SECONDS = 15 * 60
const REMEMBERED = 5_000

export interface AccessClaims {
  userId: string
  sessionId: string
}

export interface RefreshClaims {
  sessionId: string
  tokenId: string
}

export interface Tokens {
  accessSeconds: number
  signAccess(claims: AccessClaims, now: Date): Promise<string>
  /** Throws `unauthenticated` or `token_expired`. Proves only the identity; the gate checks whether the session lives. */
  verifyAccess(token: string, now: Date): Promise<AccessClaims>
  /** The same ids and times give the same token, so no token has to be stored. */
  signRefresh(claims: RefreshClaims, issuedAt: Date, expiresAt: Date): Promise<string>
  /** Returns undefined unless the token is a valid refresh token of ours. */
  verifyRefresh(token: string, now: Date): Promise<RefreshClaims | undefined>
}

const seconds = (at: Date) => Math.floor(at.getTime() / 1000)

/** JSON Web Tokens, with HS256 only and one secret for each kind. */
export function createTokens(accessSecret: string, refreshSecret: string): Tokens {
  const accessKey = new TextEncoder().encode(accessSecret)
  const refreshKey = new TextEncoder().encode(refreshSecret)
  /** The claims of tokens whose signature was verified, by the whole token. Each use checks the time again. */
  const verified = new LRUCache<string, AccessClaims & { expires: number }>({ max: REMEMBERED })

  const sign = (
    key: Uint8Array,
    typ: string,
    subject: string,
    claims: Record<string, string>,
    from: Date,
    to: number,
  ) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ })
      .setIssuer(ISSUER)
      .setAudience(ISSUER)
      .setSubject(subject)
      .setIssuedAt(seconds(from))
      .setExpirationTime(to)
      .sign(key)

  const verify = (key: Uint8Array, typ: string, token: string, now: Date) =>
    jwtVerify(token, key, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: ISSUER,
      typ,
      currentDate: now,
      requiredClaims: ['sub', 'exp', 'iat'],
    })

  return {
    accessSeconds: ACCESS_SECONDS,
    signAccess: ({ userId, sessionId }, now) =>
      sign(accessKey, 'at+jwt', userId, { sid: sessionId }, now, seconds(now) + ACCESS_SECONDS),
    async verifyAccess(token, now) {
      const known = verified.get(token)
      if (known) {
        if (known.expires <= seconds(now)) throw new AppError('token_expired')
        return known
      }
      try {
        const { payload } = await verify(accessKey, 'at+jwt', token, now)
        const { sub, sid, exp } = payload
        if (!sub || typeof sid !== 'string' || !exp) throw new AppError('unauthenticated')
        const claims = { userId: sub, sessionId: sid, expires: exp }
        verified.set(token, claims)
        return claims
      } catch (error) {
        if (error instanceof joseErrors.JWTExpired) throw new AppError('token_expired')
        if (error instanceof joseErrors.JOSEError) throw new AppError('unauthenticated')
        throw error
      }
    },
    signRefresh: ({ sessionId, tokenId }, issuedAt, expiresAt) =>
      sign(refreshKey, 'rt+jwt', sessionId, { jti: tokenId }, issuedAt, seconds(expiresAt)),
    async verifyRefresh(token, now) {
      try {
        const { payload } = await verify(refreshKey, 'rt+jwt', token, now)
        return payload.sub && payload.jti ? { sessionId: payload.sub, tokenId: payload.jti } : undefined
      } catch (error) {
        if (error instanceof joseErrors.JOSEError) return undefined
        throw error
      }
    },
  }
}
