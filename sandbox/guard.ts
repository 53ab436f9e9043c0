import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, queryOf, same } from './http.ts'

const COOKIE = 'sandbox_token'

/**
 * Admits requests from this machine: a loopback peer that requests a loopback host, without a proxy in between (behind
 * a proxy every peer is a loopback one). Others need the token, as `Authorization: Bearer`, `X-Sandbox-Token` or
 * `?sandbox_token=`. The last is stored in a cookie, so that links and forms of the pages work. Throws `HttpError`.
 */
export function letIn(request: FastifyRequest, reply: FastifyReply, token: string | undefined): void {
  if (isLocal(request)) return
  if (token === undefined) throw new HttpError(403, 'The sandbox accepts requests only from its own machine.')
  const asked = queryOf(request).get('sandbox_token')
  if (asked !== null && same(asked, token)) {
    reply.header('set-cookie', `${COOKIE}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Lax`)
    return
  }
  const shown = [
    /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1],
    request.headers['x-sandbox-token'],
    cookieOf(request),
  ]
  if (!shown.some((value) => typeof value === 'string' && same(value, token))) {
    throw new HttpError(403, 'Requests from other machines require the token of the sandbox.')
  }
}

/** Admits a control call only as JSON and not from another site. Throws `HttpError`. */
export function onlyOwnJson(request: FastifyRequest): void {
  const type = request.headers['content-type'] ?? ''
  if (['POST', 'PUT'].includes(request.method) && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new HttpError(415, 'Send application/json.')
  }
  if (isForeign(request)) throw new HttpError(403, 'Requests from other sites are not allowed.')
}

/** Admits a form only from the sandbox's own pages. A browser proves this in one of two headers. Throws `HttpError`. */
export function onlyOwnForm(request: FastifyRequest): void {
  const told = request.headers['sec-fetch-site'] !== undefined || request.headers.origin !== undefined
  if (!told || isForeign(request)) throw new HttpError(403, 'Only the pages of the sandbox can send this form.')
}

function isForeign({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (headers.origin === undefined) return false
  return !URL.canParse(headers.origin) || new URL(headers.origin).host !== headers.host
}

function isLocal({ raw, headers }: FastifyRequest): boolean {
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false
  return LOOPBACK_PEER.test(raw.socket.remoteAddress ?? '') && isLoopbackHost(headers.host ?? '')
}

const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip']
const LOOPBACK_PEER = /^(::ffff:)?127(\.\d{1,3}){3}$|^::1$/

/** Whether a `Host`, with or without port, names this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}

function cookieOf(request: FastifyRequest): string | undefined {
  const found = new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1]
  return found === undefined ? undefined : decodeURIComponent(found)
}
