import type { FastifyReply, FastifyRequest } from 'fastify'
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

const BROWSER = 'oauth_sign_in'

/** What proves that it is the browser that left for an identity provider which comes back. */
export function browserOf(request: FastifyRequest) {
  const place = {
    httpOnly: true,
    sameSite: 'lax',
    path: '/api/v1/auth/oauth',
    secure: request.overHttps,
  } as const
  return {
    secret: request.cookies[BROWSER],
    keep: (reply: FastifyReply, secret: string) => reply.setCookie(BROWSER, secret, { ...place, maxAge: 600 }),
    forget: (reply: FastifyReply) => reply.clearCookie(BROWSER, place),
  }
}
