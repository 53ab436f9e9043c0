import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { uuidv7 } from 'uuidv7'
import { AppError, type Code } from '../errors.ts'
import { hashSecret } from '../platform/crypto.ts'
import { query, sql } from '../platform/db.ts'
import { isAlive } from '../platform/events.ts'
import type { Gate } from './endpoint.ts'
import { type Once, type Platform, withoutShownOnce } from '../platform/scope.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The claim on this request's Idempotency-Key. */
    once: Once | null
    /** What an earlier request with the same key began, of a route that goes on. */
    begun: unknown
    /** The answer is a refusal by the sender's standing. */
    refusedByStanding: boolean
  }
}

const HEADER = 'idempotency-key'
const KEPT_HOURS = 24
/** A request that is not over by then has ended, though its process lives. A claim whose process is dead ends at once. */
const CLAIM_SECONDS = 60
const MAX_KEY = 255

/** Not kept: faults of the request itself, and what is to be tried again. */
const passing: readonly Code[] = [
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

interface Kept {
  claim: string
  mine: boolean
  bodyHash: string | null
  done: boolean
  status: number | null
  headers: Record<string, string> | null
  body: string | null
}

/**
 * Idempotency-Key: of several POSTs of one person with the same key, path and body one has its effect, and all get its answer
 * for 24 hours. Runs after the gates and after validation. The key is taken before the operation and marked done in the
 * transaction of the effect, so that a crash in between leaves both or neither. A claim that another request took over commits
 * nothing any more. `holder`: the name of this process (`Events.process`).
 */
export function registerIdempotency(
  app: FastifyInstance,
  platform: Pick<Platform, 'scope' | 'adminScope'>,
  holder: string,
) {
  app.decorateRequest('once', null)
  app.decorateRequest('begun', null)
  app.decorateRequest('refusedByStanding', false)
  /** Keys are kept with the rights of every caller, whatever the request itself may do. */
  const keysOf = ({ scope }: FastifyRequest) => platform.scope(scope.workspaceId, scope.actor)
  /** Whoever was refused meanwhile: the key is the product's to free, and the answer the product's to keep. */
  const endsOf = (request: FastifyRequest) => keysOf(request).asSystem()

  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request)
    if (key === undefined) return
    if (request.scope.actor.kind !== 'user') return
    const scope = keysOf(request)
    const { shownOnce = [] } = request.routeOptions.config
    const once = { keyHash: hashOf(request, key), claim: uuidv7(), done: false, shownOnce }
    const bodyHash = hashSecret(JSON.stringify(request.body ?? null))
    const now = scope.now()
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
    const [kept] = await scope.write(query<Kept>`
      with old as (delete from idempotency_key where key_hash in (select key_hash from idempotency_key
        where expires_at < ${now} and key_hash <> ${once.keyHash} limit 2 for update skip locked)),
      mine as (
        insert into idempotency_key as k (key_hash, user_id, body_hash, claim, holder, claimed_until, expires_at)
        values (${once.keyHash}, ${request.scope.actor.userId}, ${bodyHash}, ${once.claim}, ${holder}, ${later(CLAIM_SECONDS)},
          ${later(KEPT_HOURS * 3600)})
        on conflict (key_hash) do update set body_hash = excluded.body_hash, claim = excluded.claim, holder = excluded.holder,
          claimed_until = excluded.claimed_until, expires_at = excluded.expires_at,
          done_at = null, status = null, headers = null, body = null
          where k.expires_at <= ${now}
            or (k.done_at is null and k.body_hash = excluded.body_hash
              and (k.claimed_until <= ${now} or not ${isAlive(sql`k.holder`)}))
        returning claim)
      select exists (select from mine) as mine, k.claim, k.body_hash, k.done_at is not null as done, k.status, k.headers, k.body
      from (select 1) as always left join idempotency_key k on k.key_hash = ${once.keyHash}`)
    if (kept?.mine) {
      request.once = once
      const actor = { ...request.scope.actor, once }
      const isAdmin = request.routeOptions.config.gate === 'super-admin'
      request.scope = isAdmin ? platform.adminScope(actor) : platform.scope(scope.workspaceId, actor)
      return
    }
    if (kept?.bodyHash && kept.bodyHash !== bodyHash) throw new AppError('idempotency_key_reused')
    if (!kept?.done) throw new AppError('idempotency_in_progress', undefined, { retryAfter: 1 })
    // Without a last answer it is as it is now: the handler looks.
    if (request.routeOptions.config.goesOn && (kept.status === null || kept.status === 202)) {
      request.once = { ...once, claim: kept.claim, done: true }
      request.begun = JSON.parse(kept.body ?? 'null')
      reply.header('idempotent-replayed', 'true')
      return
    }
    return replay(request, reply, kept)
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { once } = request
    if (!once) return payload
    const text = typeof payload === 'string' ? payload : null
    if (request.refusedByStanding || !isKept(reply.statusCode, text)) {
      // Nothing came of it: the key is free again. What is done stays done, whatever went wrong after it.
      await endsOf(request).write(
        query`delete from idempotency_key where key_hash = ${once.keyHash} and claim = ${once.claim} and done_at is null`,
      )
      return payload
    }
    const stored = text !== null && once.shownOnce.length > 0 ? withoutShownOnce(JSON.parse(text), once) : text
    const headers = Object.fromEntries(
      ['content-type', 'location', 'etag'].flatMap((name) => {
        const value = reply.getHeader(name)
        return typeof value === 'string' ? [[name, value]] : []
      }),
    )
    await endsOf(request).write(
      query`update idempotency_key set done_at = coalesce(done_at, ${request.scope.now()}), status = ${reply.statusCode},
        headers = ${JSON.stringify(headers)}::jsonb, body = ${stored}
        where key_hash = ${once.keyHash} and claim = ${once.claim}`,
      { relaxed: true },
    )
    return payload
  })
}

/** Whether an Idempotency-Key means something to a route. */
export const takesKey = ({ method, url, gate }: { method: unknown; url: string; gate: Gate | undefined }) =>
  method === 'POST' && gate !== undefined && gate !== 'public' && !url.startsWith('/api/v1/auth/')

/** The key of a request that may have one; undefined where it is ignored. */
function keyOf(request: FastifyRequest): string | undefined {
  const { url = '', config } = request.routeOptions
  if (!takesKey({ method: request.method, url, gate: config.gate })) return undefined
  if (request.headers['content-type']?.startsWith('multipart/')) return undefined
  const key = request.headers[HEADER]
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY) {
    throw new AppError('malformed_request', `Idempotency-Key is 1 to ${MAX_KEY} visible ASCII characters.`)
  }
  return key
}

/** Nothing came of what the request began: its key is free for another try. */
export async function freeKey({ scope, once }: FastifyRequest): Promise<void> {
  if (!once) return
  await scope
    .asSystem()
    .write(query`delete from idempotency_key where key_hash = ${once.keyHash} and claim = ${once.claim}`)
}

const hashOf = ({ scope, method, url, caller }: FastifyRequest, key: string) =>
  hashSecret([scope.workspaceId, caller?.userId, method, url, key].join('\n'))

function isKept(status: number, body: string | null): boolean {
  if (status < 400) return true
  if (status >= 500) return false
  const code = (JSON.parse(body ?? '{}') as { code?: Code }).code
  return code !== undefined && !passing.includes(code)
}

/** The answer as it was; when the process ended before it was sent, what its transaction made. */
function replay(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: Kept) {
  const described = Object.keys(request.routeOptions.schema?.response ?? {}).map(Number)
  const usual = described.find((each) => each >= 200 && each < 300) ?? 200
  return reply
    .code(status ?? usual)
    .headers(headers ?? { 'content-type': 'application/json; charset=utf-8' })
    .header('idempotent-replayed', 'true')
    .send(body)
}
