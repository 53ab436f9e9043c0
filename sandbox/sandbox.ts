import { dirname } from 'node:path'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { openDesk } from './ai/desk.ts'
import { aiRoutes } from './ai/routes.ts'
import { consoleRoutes } from './console.ts'
import { controlRoutes, createAdvance } from './control.ts'
import { customerRoutes } from './customers.ts'
import { dialogRoutes, pagePolicy } from './dialog.ts'
import { feedRoutes } from './feed.ts'
import { reelUploadRoutes } from './graph/reel-upload.ts'
import { graphRoutes } from './graph/routes.ts'
import type { GraphApp } from './graph/tokens.ts'
import { startWebhooks } from './graph/webhooks.ts'
import { letIn } from './guard.ts'
import { html, page } from './html.ts'
import { HttpError } from './http.ts'
import { historyRoutes } from './history.ts'
import { inboundRoutes } from './inbound.ts'
import { mailRoutes, openMailbox } from './mail.ts'
import { type OpenIdClient, openIdRoutes } from './openid.ts'
import { type SmsApp, smsApiRoutes, smsRoutes } from './sms.ts'
import { openStore } from './store.ts'
import { ICON, STYLE } from './style.ts'
import type { VideoApp } from './video/call.ts'
import { videoConsentRoutes } from './video/login.ts'
import { videoRoutes, videoUploadRoutes } from './video/routes.ts'

export type SandboxOptions = {
  /** The file of the append-only journal. Its folder is created, and holds the media too. */
  journal: string
  /** The token for requests from other machines. Without it, they are refused. */
  token?: string
  /** Divides delays, at most 20. */
  timeScale?: number
  /** The address of the sandbox, such as `http://127.0.0.1:3000/sandbox`. Defaults to the address of each request. */
  publicBase?: string
  /** The apps registered at the networks. */
  apps?: {
    page?: GraphApp | undefined
    video?: VideoApp | undefined
    idpA?: OpenIdClient | undefined
    idpB?: (OpenIdClient & { tenant?: string | undefined }) | undefined
  }
  /**
   * The base address of the identity providers' issuers, such as `https://parley.example/sandbox`. Defaults to the
   * address of each request.
   */
  issuerBase?: string | undefined
  /** The account that may send text messages. */
  sms?: SmsApp | undefined
  /** The API key of the language model. */
  aiKey?: string | undefined
  /** The number of calls per rolling hour and network user; 200 by default. */
  callLimit?: number
  /** The SMTP port on this machine. A free port if it is not set or in use. */
  smtpPort?: number
  requireProof?: boolean
  fetchTimeoutMs?: number
  /** Moves the clock of the product forward, and returns its new time. Absent where the product has no sandbox clock. */
  advanceProduct?: (milliseconds: number) => Promise<Date>
}

/**
 * Creates the stand-ins as a plugin: `app.register(await createSandbox({ journal }), { prefix: '/sandbox' })`.
 * Everything answered before a kill is restored when it starts with the same journal. Closing the app closes the
 * journal. Only one process at a time may have a journal open.
 */
export async function createSandbox(options: SandboxOptions): Promise<FastifyPluginAsync> {
  const timeScale = Math.min(options.timeScale ?? 1, 20)
  const store = await openStore(options.journal, timeScale)
  const mailbox = await openMailbox(store, options.smtpPort ?? 0)
  const apps = [options.apps?.page ?? { id: 'sandbox-page-app', secret: 'sandbox-page-secret' }]
  const video = options.apps?.video ?? { key: 'sandbox-video-key', secret: 'sandbox-video-secret' }
  const sms = options.sms ?? { accountSid: `AC${'5a'.repeat(16)}`, authToken: 'sandbox-sms-token' }
  const idpA = options.apps?.idpA ?? { id: 'sandbox-idp-a', secret: 'sandbox-idp-a-secret' }
  const idpB = { tenant: undefined, ...(options.apps?.idpB ?? { id: 'sandbox-idp-b', secret: 'sandbox-idp-b-secret' }) }
  const stopWebhooks = startWebhooks(store, apps, timeScale)
  const desk = openDesk(store)
  const advance = createAdvance(store, options.advanceProduct)
  const folder = dirname(options.journal)
  const graph = {
    apps,
    callLimit: options.callLimit ?? 200,
    requireProof: options.requireProof ?? false,
    timeScale,
    fetchTimeoutMs: options.fetchTimeoutMs ?? 20_000,
  }

  return async (app) => {
    const base = (request: FastifyRequest) =>
      options.publicBase?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}${app.prefix}`

    app.addHook('onClose', async () => {
      stopWebhooks()
      await mailbox.close()
      await store.close()
    })
    // The routes appear in no API description and are exempt from the rules of the app that mounts them.
    app.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true } as typeof route.schema
    })
    app.addHook('onRequest', async (request, reply) => {
      reply.headers({
        'content-security-policy': pagePolicy(),
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
      })
      letIn(request, reply, options.token)
    })
    // An answer is sent only after its facts are on disk.
    app.addHook('onSend', async () => store.synced())
    readBodies(app)
    answerErrors(app, app.prefix)

    app.get('/style.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
    app.get('/icon.svg', async (_request, reply) => reply.type('image/svg+xml').send(ICON))
    consoleRoutes(app, store, app.prefix, desk, advance)
    controlRoutes(app, store, base, advance)
    inboundRoutes(app, store, base)
    historyRoutes(app, store)
    customerRoutes(app, store, app.prefix)
    feedRoutes(app, store, app.prefix)
    mailRoutes(app, store, app.prefix, mailbox)
    smsRoutes(app, store, app.prefix)
    await app.register(async (api) => smsApiRoutes(api, store, sms), { prefix: '/sms-api' })
    await app.register(async (ai) => aiRoutes(ai, store, desk, options.aiKey ?? 'sandbox-ai-key'), { prefix: '/ai' })
    await app.register(async (dialog) => dialogRoutes(dialog, store, apps, app.prefix), { prefix: '/dialog' })
    await app.register(async (net) => graphRoutes(net, store, graph, base), { prefix: '/graph' })
    await app.register(async (net) => reelUploadRoutes(net, store, timeScale), { prefix: '/rupload' })
    await app.register(async (net) => videoRoutes(net, store, { app: video, timeScale }, base), { prefix: '/video' })
    await app.register(async (auth) => videoConsentRoutes(auth, store, video, app.prefix), { prefix: '/video-auth' })
    const issuerBase = (request: FastifyRequest) => options.issuerBase ?? base(request)
    await app.register(
      async (idp) => openIdRoutes(idp, store, { provider: 'IDP_A', client: idpA, folder }, issuerBase, app.prefix),
      { prefix: '/idp-a' },
    )
    await app.register(
      async (idp) =>
        openIdRoutes(
          idp,
          store,
          { provider: 'IDP_B', client: idpB, tenant: idpB.tenant, folder },
          issuerBase,
          app.prefix,
        ),
      { prefix: '/idp-b' },
    )
    await app.register(async (net) => videoUploadRoutes(net, store, timeScale), { prefix: '/video-upload' })
  }
}

/** Parses bodies independently of the app that mounts the sandbox. An empty JSON body is an empty object. */
function readBodies(app: FastifyInstance): void {
  const bodyLimit = 16 * 1024 * 1024
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit },
    async (_request: FastifyRequest, body: string) => {
      try {
        return body.trim() === '' ? {} : (JSON.parse(body) as unknown)
      } catch {
        throw new HttpError(400, 'The body is not JSON.')
      }
    },
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  )
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit },
    async (request: FastifyRequest, body: Buffer) => {
      const type = request.headers['content-type'] ?? ''
      try {
        return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
      } catch {
        throw new HttpError(400, 'The body is not multipart/form-data.')
      }
    },
  )
}

function answerErrors(app: FastifyInstance, root: string): void {
  app.setNotFoundHandler((_request, reply) =>
    reply
      .code(404)
      .type('text/html; charset=utf-8')
      .send(page(root, 'Not found', html`<p class="card">There is nothing at this address.</p>`)),
  )
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof z.ZodError) return reply.code(422).send({ error: z.prettifyError(error) })
    if (isClientError(error)) return reply.code(error.statusCode).send({ error: error.message })
    // The caller has disconnected, so there is no one to answer.
    if (request.raw.socket.destroyed) return reply.hijack()
    request.log.error(error)
    return reply.code(500).type('application/json').send({ error: 'The sandbox failed. Its log has the reason.' })
  })
}

function isClientError(error: unknown): error is Error & { statusCode: number } {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode >= 400 &&
    error.statusCode < 500
  )
}
