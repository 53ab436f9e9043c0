import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenedSession } from './identity.ts'

const NAME = 'refresh_token'

const options = (request: FastifyRequest) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/api/v1/auth', secure: request.protocol === 'https' }) as const

/** Sends the session's answer, its refresh token in the httpOnly cookie alone. */
export function sendSession(
  request: FastifyRequest,
  reply: FastifyReply,
  status: 200 | 201,
  opened: OpenedSession,
  more: object = {},
) {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .setCookie(NAME, opened.refreshToken, { ...options(request), expires: opened.refreshExpiresAt })
    .send({ ...more, ...opened.session })
}

export const refreshCookie = (request: FastifyRequest) => request.cookies[NAME]

export const clearRefreshCookie = (request: FastifyRequest, reply: FastifyReply) =>
  reply.clearCookie(NAME, options(request))
