import { isIP } from 'node:net'
import fastifyCookie from '@fastify/cookie'
import fastifyHelmet, { type FastifyHelmetOptions } from '@fastify/helmet'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { uuidv7 } from 'uuidv7'
import type * as z from 'zod'
import { AppError, type Fault, invalid, pointer } from '../errors.ts'
import type { Log } from '../platform/log.ts'
import { PIECE_TYPE } from './endpoint.ts'
import { expectation, faultsOf, registerProblems, sendProblem } from './problem.ts'

const JSON_BYTES = 1024 * 1024
/** Enough for the fields of a sign-in. */
const AUTH_BYTES = 16 * 1024
const JSON_DEPTH = 20
/** A megabyte of tiny values takes seconds to check, and no valid body has this many. */
const JSON_VALUES = 20_000
/** Milliseconds for a JSON body to arrive. An upload may take longer, as long as it makes progress. */
const BODY_MS = 30_000
const UPLOAD_MS = 3_600_000
const SILENCE_MS = 60_000
const LAST_ANSWERS_MS = 2_000
/** Answers that no cache may store. Other parts, such as files, decide for themselves. */
const PRIVATE = /^\/(api\/v1|sandbox|metrics)(?![\w-])/
/** Milliseconds for the rest of a body to arrive, if the request was answered before its end. */
const REST_MS = 30_000

/** Paths that are used as they are. Every other path is an API path, which may omit its prefix. */
const asTheyAre = /^\/(api\/v1|app|files|docs|webhooks|sandbox|metrics|auth|health)(\/|\?|$)|^\/(\?|$)/

/** The names of providers are not case-sensitive. */
const withUpperCase = (url: string) =>
  url.replace(/^(\/api\/v1\/auth\/oauth\/)([^/?]+)/, (_, path: string, name: string) => path + name.toUpperCase())

export interface ServerOptions {
  log: Log
  /**
   * The number of proxies in front of the server, or their addresses. Only proxies are trusted about a request, never a
   * client.
   */
  trustProxy: number | string[]
  /** As configured. */
  publicUrl?: string | undefined
  /** The origin that serves people's files, if not this server. */
  filesUrl?: string | undefined
  /** Aborted when the time that a stop leaves to running requests has passed. */
  stopping?: AbortSignal
  /** Checks every answer against its schema. On in tests. */
  strictAnswers: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The browser came over https, or the public address has https. Its cookies are then for https alone. */
    overHttps: boolean
  }
}

/** The HTTP server with its conventions, without the routes of the product. */
export async function createServer({
  log,
  trustProxy,
  publicUrl,
  filesUrl,
  stopping,
  strictAnswers,
}: ServerOptions): Promise<FastifyInstance> {
  // Hooks that do not wait take `done`: a promise for each would cost every request.
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit: JSON_BYTES,
    requestTimeout: UPLOAD_MS,
    connectionTimeout: SILENCE_MS,
    keepAliveTimeout: 10_000,
    http: { headersTimeout: 15_000 },
    // An overlong parameter just names nothing, and the size of the head bounds it.
    routerOptions: { maxParamLength: 65_536 },
    genReqId: () => uuidv7(),
    rewriteUrl: ({ url = '/' }) => (asTheyAre.test(url) ? withUpperCase(url) : `/api/v1${url}`),
    frameworkErrors: (error, request, reply) =>
      void sendProblem(request, withHeaders(request, reply), new AppError('malformed_request', error.message)),
  }) as unknown as FastifyInstance

  app.decorateRequest('overHttps', {
    getter() {
      return this.protocol === 'https' || publicUrl?.startsWith('https:') === true
    },
  })
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/api/v1/auth/')) route.bodyLimit = AUTH_BYTES
  })
  // Runs before all other hooks. A forwarded value that is not an address is dropped, and the sender's own address
  // counts.
  app.addHook('onRequest', ({ raw, ip }, _reply, done) => {
    if (isIP(ip) === 0) delete raw.headers['x-forwarded-for']
    done()
  })
  registerProblems(app)
  registerBodies(app)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  await app.register(fastifyCookie)
  const elsewhere = filesUrl ? [new URL(filesUrl).origin] : []
  const secured = await securityHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:', ...elsewhere],
        mediaSrc: ["'self'", 'blob:', ...elsewhere],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        formAction: ["'self'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
    strictTransportSecurity: trustProxy !== 0,
  })

  const withHeaders = (request: FastifyRequest, reply: FastifyReply) => {
    if (PRIVATE.test(request.url)) reply.header('cache-control', 'no-store')
    return reply.headers(secured).header('x-request-id', request.id)
  }
  app.addHook('onRequest', (request, reply, done) => {
    withHeaders(request, reply)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    request.log.debug({ req: request, res: reply, ms: Math.round(reply.elapsedTime) }, 'answered')
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete && !raw.destroyed) {
      const late = setTimeout(() => raw.complete || raw.destroy(), REST_MS).unref()
      raw.once('close', () => clearTimeout(late))
    }
    done()
  })
  closeConnections(app, stopping)
  if (strictAnswers) registerStrictAnswers(app)
  return app
}

/** The headers of helmet. It would compute them for each request although they never change, so they are read once. */
async function securityHeaders(options: FastifyHelmetOptions): Promise<Record<string, string>> {
  const asked = Fastify()
  await asked.register(fastifyHelmet, options)
  let headers = {}
  asked.get('/', async (_request, reply) => {
    headers = { ...reply.raw.getHeaders() }
    return ''
  })
  await asked.inject('/')
  await asked.close()
  return headers
}

function registerBodies(app: FastifyInstance) {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-type': type = '', 'content-length': length, 'transfer-encoding': pieces } = request.headers
    const hasBody = pieces !== undefined || Number(length ?? 0) > 0
    if (!hasBody || type.startsWith('multipart/') || type === PIECE_TYPE) return done(null, payload)
    const slow = setTimeout(() => request.raw.destroy(), BODY_MS)
    for (const end of ['end', 'close'] as const) payload.once(end, () => clearTimeout(slow))
    done(null, payload)
  })
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, {})
    try {
      const parsed: unknown = JSON.parse(body as string)
      refuseUnwieldy(parsed)
      done(null, parsed)
    } catch (error) {
      done(error instanceof AppError ? error : new AppError('malformed_json'))
    }
  })
  app.setValidatorCompiler<z.ZodType>(({ schema }) => (data: unknown) => {
    const parsed = schema.safeParse(data ?? {}, { reportInput: true, error: expectation })
    const notTexts = textFaults(data)
    const told = new Set(notTexts.map(({ path }) => path))
    const others = parsed.success ? [] : faultsOf(parsed.error).filter(({ path }) => !told.has(path))
    const faults = [...others, ...notTexts]
    return parsed.success && faults.length === 0 ? { value: parsed.data } : { error: invalid(...faults) }
  })
  // Fastify does not validate a missing body, so a POST without a body counts as an empty object.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.method !== 'GET' && request.routeOptions.schema?.body) request.body = {}
    done()
  })
}

/** Faults for strings that the database cannot hold: those with the character U+0000 or half a surrogate pair. */
function textFaults(value: unknown, path: string[] = []): Fault[] {
  if (typeof value === 'string') return isText(value) ? [] : [notText(path)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    isText(key) ? textFaults(inner, [...path, key]) : [notText(path)],
  )
}

const isText = (text: string) => !text.includes('\0') && !/\p{Cs}/u.test(text)

const notText = (path: string[]): Fault => ({
  path: pointer(path),
  code: 'not_text',
  message: 'The text contains U+0000 or an unpaired surrogate. Remove it.',
})

function refuseUnwieldy(body: unknown): void {
  let values = 0
  const count = (value: unknown, depth: number) => {
    values += 1
    if (values > JSON_VALUES)
      throw new AppError(
        'too_large',
        `The JSON body has more than ${JSON_VALUES} values. Split it into several requests.`,
      )
    if (typeof value !== 'object' || value === null) return
    if (depth === 0)
      throw new AppError('malformed_request', `The JSON body is nested more than ${JSON_DEPTH} levels deep.`)
    for (const inner of Object.values(value)) count(inner, depth - 1)
  }
  count(body, JSON_DEPTH)
}

/**
 * An idle keep-alive connection would delay the stop for minutes, so each answer while stopping closes its connection.
 * Clients that still send when the time is up are cut off, once the last answers have left.
 */
function closeConnections(app: FastifyInstance, stopping?: AbortSignal) {
  stopping?.addEventListener('abort', () => setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS).unref())
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    app.server.closeIdleConnections()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** Makes an answer that its description does not allow an error. For tests. */
function registerStrictAnswers(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply, payload) => {
    const responses = request.routeOptions.schema?.response as Record<number, z.ZodType> | undefined
    if (!responses || reply.statusCode >= 400 || typeof payload !== 'string') return payload
    if (!String(reply.getHeader('content-type')).startsWith('application/json')) return payload
    const schema = responses[reply.statusCode]
    if (!schema)
      throw new Error(`${request.routeOptions.url} answered ${reply.statusCode}, which its schema does not describe`)
    const parsed = schema.safeParse(JSON.parse(payload))
    if (!parsed.success)
      throw new Error(
        `${request.routeOptions.url} answered with a body that its schema does not allow: ${parsed.error.message}`,
      )
    return payload
  })
}
