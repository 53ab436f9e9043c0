import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../core/platform/crypto.ts'
import type { OpenedSession } from './identity.ts'

const NAME = 'refresh_token'

const options = (request: FastifyRequest) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/api/v1/auth', secure: request.overHttps }) as const

/** Keeps the refresh token with the browser, in the httpOnly cookie. */
export const keepSession = (request: FastifyRequest, reply: FastifyReply, opened: OpenedSession) =>
  reply
    .header('cache-control', 'no-store')
    .setCookie(NAME, opened.refreshToken, { ...options(request), expires: opened.refreshExpiresAt })

/** Sends the session's answer, its refresh token in the httpOnly cookie alone. */
export function sendSession(
  request: FastifyRequest,
  reply: FastifyReply,
  status: 200 | 201,
  opened: OpenedSession,
  more: object = {},
) {
  return keepSession(request, reply, opened)
    .code(status)
    .send({ ...more, ...opened.session })
}

export const refreshCookie = (request: FastifyRequest) => request.cookies[NAME]

export const clearRefreshCookie = (request: FastifyRequest, reply: FastifyReply) =>
  reply.clearCookie(NAME, options(request))

/** The most sign-ins that one browser may have begun at the same time, one in each tab. */
const STARTS = 8

/**
 * What proves that the browser that comes back from a provider is the one that left for it. Each start has a cookie of its own,
 * named by its state, so that two tabs do not break each other.
 */
export function browserOf(request: FastifyRequest, purpose: 'oauth_sign_in' | 'oauth_browser') {
  const place = {
    httpOnly: true,
    sameSite: 'lax',
    path: '/api/v1/auth/oauth',
    secure: request.overHttps,
  } as const
  const nameOf = (state: string) => `${purpose}_${hashSecret(state).slice(0, 16)}`
  return {
    secretOf: (state: string) => request.cookies[nameOf(state)],
    keep(reply: FastifyReply, { state, browserSecret }: { state: string; browserSecret: string }) {
      reply.setCookie(nameOf(state), browserSecret, { ...place, maxAge: 600 })
      // Browsers send the oldest first.
      const kept = Object.keys(request.cookies).filter((name) => name.startsWith(`${purpose}_`))
      for (const name of kept.slice(0, Math.max(kept.length + 1 - STARTS, 0))) reply.clearCookie(name, place)
    },
    forget: (reply: FastifyReply, state: string) => reply.clearCookie(nameOf(state), place),
  }
}
