import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { uuidv7 } from 'uuidv7'
import { AppError, type Code } from '../errors.ts'
import { hashSecret } from '../platform/crypto.ts'
import {
  claimKey,
  freeClaim,
  freeUndone,
  keepAnswer,
  type KeptAnswer,
  type Once,
  withoutShownOnce,
} from '../platform/idempotency-keys.ts'
import type { Actor, Scopes } from '../platform/scope.ts'
import type { Gate } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The claim on this request's Idempotency-Key. */
    once: Once | null
    /** The work that an earlier request with the same key began, on a route with `goesOn`. */
    begun: unknown
    /** The request was refused because of its sender's standing. */
    refusedByStanding: boolean
  }
}

type Person = Extract<Actor, { kind: 'user' }>

const HEADER = 'idempotency-key'
const MAX_KEY = 255

/** Errors that are not stored: faults of the request itself, and refusals that may not apply to the next try. */
const NOT_STORED: readonly Code[] = [
  'validation_failed',
  'rate_limited',
  'upload_too_slow',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'session_revoked',
  'account_disabled',
  'role_required',
  'super_admin_required',
]

/**
 * Idempotency-Key: of several POSTs of one person with the same key, path and body, one takes effect and all get its
 * answer for 24 hours. Runs after the gates and after validation. The key is claimed before the operation and marked
 * done in the transaction of the effect, so a crash in between leaves both or neither. A request whose claim was taken
 * over can no longer commit. `holder`: the name of this process (`Events.process`).
 */
export function registerIdempotency(
  app: FastifyInstance,
  scopes: Pick<Scopes, 'scope' | 'adminScope'>,
  holder: string,
) {
  app.decorateRequest('once', null)
  app.decorateRequest('begun', null)
  app.decorateRequest('refusedByStanding', false)
  /** Keys are stored through an ordinary scope of the caller, even if the request itself has an operator's. */
  const keysOf = ({ scope }: FastifyRequest) => scopes.scope(scope.workspaceId, scope.actor)
  /** The sender may have lost their standing in the meantime, so the product frees the key or stores the answer. */
  const endsOf = (request: FastifyRequest) => keysOf(request).asSystem()

  app.addHook('preHandler', (request, reply, done) => {
    const key = keyOf(request)
    if (key === undefined || request.scope.actor.kind !== 'user') return done()
    claim(key, request.scope.actor, request, reply).then((isReplayed) => isReplayed || done(), done)
  })

  /** Claims the key for the request. Returns whether the answer of an earlier request was sent instead. */
  async function claim(key: string, sender: Person, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const scope = keysOf(request)
    const { shownOnce = [] } = request.routeOptions.config
    const once = { keyHash: hashOf(request, key), claim: uuidv7(), done: false, shownOnce }
    const bodyHash = hashSecret(JSON.stringify(request.body ?? null))
    const { userId } = sender
    const [kept] = await scope.write(claimKey(once, { userId, bodyHash, holder, now: scope.now() }))
    if (kept?.mine) {
      request.once = once
      const actor = { ...sender, once }
      const isAdmin = request.routeOptions.config.gate === 'super-admin'
      request.scope = isAdmin ? scopes.adminScope(actor) : scopes.scope(scope.workspaceId, actor)
      return false
    }
    if (kept?.bodyHash && kept.bodyHash !== bodyHash) throw new AppError('idempotency_key_reused')
    if (!kept?.done) throw new AppError('idempotency_in_progress', undefined, { retryAfter: 1 })
    // No final answer is stored, so the handler reports the present state.
    if (request.routeOptions.config.goesOn && (kept.status === null || kept.status === 202)) {
      request.once = { ...once, claim: kept.claim, done: true }
      request.begun = JSON.parse(kept.body ?? 'null')
      reply.header('idempotent-replayed', 'true')
      return false
    }
    replay(request, reply, kept)
    return true
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const { once } = request
    if (!once) return done(null, payload)
    keep(once, request, reply, payload).then(() => done(null, payload), done)
  })

  /** Stores the answer of a request with a key, or frees the key. */
  async function keep(once: Once, request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
    const text = typeof payload === 'string' ? payload : null
    if (request.refusedByStanding || !isKept(reply.statusCode, text)) {
      await endsOf(request).write(freeUndone(once))
      return
    }
    const stored = text !== null && once.shownOnce.length > 0 ? withoutShownOnce(JSON.parse(text), once) : text
    const headers = Object.fromEntries(
      ['content-type', 'location', 'etag'].flatMap((name) => {
        const value = reply.getHeader(name)
        return typeof value === 'string' ? [[name, value]] : []
      }),
    )
    const answer = { status: reply.statusCode, headers, body: stored }
    await endsOf(request).write(keepAnswer(once, request.scope.now(), answer), { relaxed: true })
  }
}

/** Whether a route takes an Idempotency-Key. */
export const takesKey = ({ method, url, gate }: { method: unknown; url: string; gate: Gate | undefined }) =>
  method === 'POST' && gate !== undefined && gate !== 'public' && !url.startsWith('/api/v1/auth/')

/** The request's key; undefined where a key is ignored. Throws `malformed_request` for an invalid one. */
function keyOf(request: FastifyRequest): string | undefined {
  const { url = '', config } = request.routeOptions
  if (!takesKey({ method: request.method, url, gate: config.gate })) return undefined
  if (request.headers['content-type']?.startsWith('multipart/')) return undefined
  const key = request.headers[HEADER]
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY) {
    throw new AppError('malformed_request', `Idempotency-Key must be 1 to ${MAX_KEY} visible ASCII characters.`)
  }
  return key
}

/** Frees the key of a request that had no effect, so that it can be tried again. */
export async function freeKey({ scope, once }: FastifyRequest): Promise<void> {
  if (!once) return
  await scope.asSystem().write(freeClaim(once))
}

const hashOf = ({ scope, method, url, caller }: FastifyRequest, key: string) =>
  hashSecret([scope.workspaceId, caller?.userId, method, url, key].join('\n'))

function isKept(status: number, body: string | null): boolean {
  if (status < 400) return true
  if (status >= 500) return false
  const code = (JSON.parse(body ?? '{}') as { code?: Code }).code
  return code !== undefined && !NOT_STORED.includes(code)
}

/** Sends the stored answer; if the process ended before it answered, the result of its transaction. */
function replay(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: KeptAnswer) {
  const described = Object.keys(request.routeOptions.schema?.response ?? {}).map(Number)
  const usual = described.find((each) => each >= 200 && each < 300) ?? 200
  return reply
    .code(status ?? usual)
    .headers(headers ?? { 'content-type': 'application/json; charset=utf-8' })
    .header('idempotent-replayed', 'true')
    .send(body)
}
