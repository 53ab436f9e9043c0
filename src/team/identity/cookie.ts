import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../core/platform/crypto.ts'
import type { OpenedSession } from './identity.ts'

const NAME = 'refresh_token'

const options = (request: FastifyRequest) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/api/v1/auth', secure: request.overHttps }) as const

/** Stores the refresh token in the browser's httpOnly cookie. */
export const keepSession = (request: FastifyRequest, reply: FastifyReply, opened: OpenedSession) =>
  reply
    .header('cache-control', 'no-store')
    .setCookie(NAME, opened.refreshToken, { ...options(request), expires: opened.refreshExpiresAt })

/** Answers with the session; its refresh token is only in the httpOnly cookie. */
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

/** The maximum number of sign-ins that one browser can have begun at the same time, one in each tab. */
const STARTS = 8

/**
 * Cookies that prove that the browser that returns from a provider is the one that left. Each start has its own cookie,
 * named after its state, so that two tabs do not break each other.
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
      // Browsers send the oldest cookie first.
      const kept = Object.keys(request.cookies).filter((name) => name.startsWith(`${purpose}_`))
      for (const name of kept.slice(0, Math.max(kept.length + 1 - STARTS, 0))) reply.clearCookie(name, place)
    },
    forget: (reply: FastifyReply, state: string) => reply.clearCookie(nameOf(state), place),
  }
}
