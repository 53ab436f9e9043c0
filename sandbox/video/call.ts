import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { type Creator, findCreator } from '../people.ts'
import type { Store } from '../store.ts'
import { MINUTE } from './state.ts'

/** The app registered at the network. */
export type VideoApp = { key: string; secret: string }

/** One call to the API of NET_VIDEO, as its handlers see it. */
export type VideoCall = {
  store: Store
  app: VideoApp
  timeScale: number
  /** The address of the sandbox, without a trailing slash. */
  base: string
  request: FastifyRequest
  /** Set by a handler whose effect is done, if its answer must be lost. */
  cut: boolean
}

/** A refusal of the API, which becomes the `error` of the envelope. */
export class VideoError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message = code.replaceAll('_', ' ')) {
    super(message)
    this.status = status
    this.code = code
  }
}

export const invalid = (message: string) => new VideoError(400, 'invalid_params', message)

export const newLogId = () => `2026${randomBytes(14).toString('hex').toUpperCase()}`

/** Marks a 64-bit integer. The answer contains it as a bare number, as this network does. */
export const int64 = (digits: string) => `int64:${digits}`
export const toText = (body: unknown) => JSON.stringify(body).replaceAll(/"int64:(\d+)"/g, '$1')

/** The calls per minute of one creator's tokens, by the end of the path. */
const LIMITS: readonly [RegExp, number][] = [
  [/\/(video|content)\/init\/$/, 6],
  [/\/creator_info\/query\/$/, 20],
  [/\/status\/fetch\/$/, 30],
  [/./, 600],
]

/** Returns the caller of a valid token with this permission. Throws `VideoError`, also above the calls per minute. */
export function creatorOf({ store, request }: VideoCall, scope: string): Creator {
  const text = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const token = store.state.videoTokens.get(text)
  const now = store.clock.now()
  const creator = token && findCreator(token.openId)
  if (!token || token.kind !== 'access' || token.ended || token.expiresAt <= now || !creator) {
    throw new VideoError(401, 'access_token_invalid', 'The access token is invalid or not found in the request.')
  }
  const [path = ''] = request.url.split('?')
  const [pattern, limit] = LIMITS.find(([end]) => end.test(path)) as (typeof LIMITS)[number]
  const key = `${creator.openId}:${pattern.source}`
  const made = (store.state.videoCalls.get(key) ?? []).filter((at) => at > now - MINUTE).length
  store.note({ type: 'video.called', key, at: now })
  if (made >= limit) throw new VideoError(429, 'rate_limit_exceeded', 'The API rate limit was exceeded.')
  if (!token.scopes.includes(scope)) {
    throw new VideoError(401, 'scope_not_authorized', `The user did not authorize the scope ${scope}.`)
  }
  return creator
}

/** Parses the JSON body by its schema. Throws 400 for another content type or a body that does not match. */
export function bodyOf<T>({ request }: VideoCall, schema: z.ZodType<T>): T {
  if (!/^application\/json;\s*charset=utf-8$/i.test(request.headers['content-type'] ?? '')) {
    throw invalid('Content-Type must be application/json; charset=UTF-8')
  }
  const parsed = schema.safeParse(request.body)
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error))
  return parsed.data
}
