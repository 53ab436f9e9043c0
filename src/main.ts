import { accountJobs } from './channels/jobs.ts'
import { join } from 'node:path'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app.ts'
import { readFigures } from './admin/figures.ts'
import { type Config, ConfigError, readConfig, isLoopback } from './core/config.ts'
import { VERSION } from './core/http/openapi.ts'
import { identityJobs } from './team/identity/jobs.ts'
import { mediaJobs } from './publishing/media/jobs.ts'
import { servedType } from './publishing/media/rules.ts'
import { notificationJobs } from './team/notifications/jobs.ts'
import { openNetworks, sandboxApps } from './networks/registry.ts'
import { createCallBudget } from './delivery/budget.ts'
import { createPrecedence } from './delivery/precedence.ts'
import { advanceClock, openCrypto, readClock, readShift } from './core/platform/start-checks.ts'
import { createClock } from './core/platform/clock.ts'
import { keyIdOf } from './core/platform/crypto.ts'
import { isLost, openPool } from './core/platform/db.ts'
import { openEvents } from './core/platform/events.ts'
import { startJobs } from './core/platform/jobs.ts'
import { createLog } from './core/platform/log.ts'
import { createMail, mailJobs } from './core/platform/mail.ts'
import { createModel, PROVIDERS } from './core/platform/model/provider.ts'
import { migrate } from './core/platform/migrate.ts'
import { type DirectoryLock, lockDirectory } from './core/platform/postgres/directory-lock.ts'
import { EmbeddedError } from './core/platform/postgres/run.ts'
import { startEmbedded } from './core/platform/postgres/postgres.ts'
import { createPayments } from './core/platform/payments.ts'
import { createProvider } from './team/identity/openid.ts'
import { createScopes, NO_WORKSPACE } from './core/platform/scope.ts'
import { createSms, smsJobs } from './core/platform/sms.ts'
import { createLocalDispatch } from './core/platform/local-dispatch.ts'
import { openPartials } from './core/platform/partials.ts'
import { openS3Storage } from './core/platform/storage-s3.ts'
import { openDiskStorage } from './core/platform/storage.ts'
import { createTokens } from './core/platform/tokens.ts'
import { aiJobs } from './assistant/ai/jobs.ts'
import { approvalJobs } from './publishing/approvals/jobs.ts'
import { publishingJobs } from './publishing/sending/jobs.ts'
import { drivers } from './publishing/sending/drivers.ts'
import { createThreadDrivers } from './conversations/drivers.ts'
import { conversationJobs } from './conversations/jobs.ts'
import { startHeartbeat } from './conversations/reading/reading.ts'
import { abTestJobs } from './insights/ab-tests/jobs.ts'
import { reportJobs } from './insights/reports/jobs.ts'
import { competitorJobs } from './insights/competitors/jobs.ts'
import { metricsJobs } from './insights/metrics/jobs.ts'
import { readPerformance } from './insights/predictions/performance.ts'
import { tagJobs } from './insights/tags/jobs.ts'
import { startPublisher } from './delivery/worker.ts'
import type { Services, Settings } from './services.ts'
import { subscribers } from './subscribers.ts'
import { workspaceJobs } from './team/workspaces/jobs.ts'

const MIGRATIONS = join(import.meta.dirname, '..', 'migrations')
const CONNECTIONS = 24
const CLOCK_EVERY = 10_000
/** Milliseconds that a stop waits for running work before it leaves it to the next process. */
const STOP_GRACE = 30_000

const say = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Composes the process from its settings and starts it. Returns a function that stops it. If a step fails, everything
 * begun is ended.
 */
async function start(config: Config): Promise<() => Promise<void>> {
  const ends: (() => Promise<unknown>)[] = []
  const stop = async () => {
    const failures: unknown[] = []
    for (const end of ends.splice(0).toReversed()) await end().catch((error: unknown) => failures.push(error))
    if (failures.length > 0)
      throw new AggregateError(failures, `Not everything could be stopped: ${failures.join(', ')}`)
  }
  try {
    await compose(config, (end) => ends.push(end))
    return stop
  } catch (error) {
    await stop().catch((failure: unknown) => say(String(failure)))
    throw error
  }
}

type OnStop = (end: () => Promise<unknown>) => void

/** Where this process is reached: by people and networks, and by itself. The port is known once it listens. */
interface Place {
  address: string
  inside: string
}

/** Whether the process takes requests, and whether its jobs are taken. */
interface State {
  isReady: boolean
  areJobsTaken(): boolean
}

async function compose(config: Config, onStop: OnStop): Promise<void> {
  const foundation = await openFoundation(config, onStop)
  const usual = config.publicUrl ?? `http://${config.host}:${config.port}`
  const place: Place = { address: usual, inside: usual }
  const stopping = new AbortController()
  const grace = STOP_GRACE / config.timeScale
  const services = await openServices(config, foundation, { place, stopping: stopping.signal }, onStop)
  const state: State = { isReady: false, areJobsTaken: () => true }
  if (config.role !== 'worker') await serve(config, foundation, services, { place, state }, onStop)
  if (config.role !== 'api') state.areJobsTaken = await work(foundation, services, grace, onStop)
  state.isReady = true
  onStop(async () => {
    state.isReady = false
    setTimeout(() => stopping.abort(), grace).unref()
  })
  if (config.sandbox && aiIsReal(config)) say('AI isn’t part of the sandbox here: prompts go to the real provider')
  say(
    config.role === 'worker'
      ? 'Parley worker is ready'
      : `Parley is ready at ${place.address}${config.sandbox ? ` (sandbox networks: ${place.address}/sandbox)` : ''}`,
  )
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>

/** Opens the database, and what is built on it alone: transactions, events, and the clock, which it keeps right. */
async function openFoundation(config: Config, onStop: OnStop) {
  const log = createLog(config.logLevel)
  const { direct, url, lock } = await openDatabase(config, onStop)
  const pool = openPool(url, CONNECTIONS, (error) => log.warn({ err: error }, 'a database connection failed'), {
    prepare: url === direct,
  })
  onStop(() => pool.end())
  // Before anything is sealed: this shows the key to `npm run rotate-key`.
  const events = await openEvents(direct, log, keyIdOf(config.encryptionKey))
  onStop(() => events.close())
  const crypto = await openCrypto(pool, config)
  const clock = createClock()
  clock.shift = await readShift(pool, { isProduction: config.environment === 'production' })
  clock.sync(await readClock(pool))
  const ticks = setInterval(() => {
    const asked = performance.now()
    readClock(pool).then(
      (now) => clock.sync(now, asked) && log.warn('the clock of the database was moved'),
      (error: unknown) => log.warn({ err: error }, 'the clock was not read'),
    )
  }, CLOCK_EVERY)
  onStop(async () => clearInterval(ticks))
  const local = createLocalDispatch()
  const scopes = createScopes({ pool, events, clock, log, local, subscribers })
  return { log, direct, lock, pool, crypto, clock, events, local, scopes }
}

/** Opens the ways to the outside world. */
async function openServices(
  config: Config,
  { log, crypto, clock, events, scopes }: Foundation,
  { place, stopping }: { place: Place; stopping: AbortSignal },
  onStop: OnStop,
): Promise<Services> {
  const storage = config.s3
    ? await openS3Storage({ bucket: config.s3, folder: join(config.dataDir, 'media-drafts'), typeOf: servedType })
    : await openDiskStorage(join(config.dataDir, 'media'))
  const inside = () => place.inside
  const mail = createMail({
    from: config.mailFrom ?? 'Parley <parley@sandbox.test>',
    url: mailServer(config, inside),
    requireTLS:
      config.environment === 'production' &&
      config.smtpUrl !== undefined &&
      !isLoopback(new URL(config.smtpUrl).hostname),
  })
  onStop(() => mail.close())
  return {
    config,
    clock,
    events,
    log,
    storage,
    partials: await openPartials(join(config.dataDir, 'uploads')),
    crypto,
    mail,
    payments: createPayments(config.billing),
    sms: smsOf(config, inside),
    model: modelOf(config, inside),
    settings: settingsOf(config, place),
    tokens: createTokens(config.jwtSecret, config.jwtRefreshSecret),
    networks: openNetworks(config, () => place),
    providers: providersOf(config, () => place),
    budget: createCallBudget({ scopes, log }, config.networkCallsPerHour),
    precedence: createPrecedence(config.timeScale),
    stopping,
  }
}

function settingsOf(config: Config, place: Place): Settings {
  const bucketUrl = config.s3?.publicUrl
  return {
    defaultPlan: config.defaultPlan,
    passwordMinLength: config.passwordMinLength,
    passwordKib: config.passwordKib,
    timeScale: config.timeScale,
    triesPerAddress: config.signInTriesPerMinute,
    codesPerAddress: config.codesPerHour,
    aiCallsPerMinute: config.aiCallsPerMinute,
    classificationsPerMinute: config.classificationsPerMinute,
    humanAgent: config.humanAgent,
    realNetworks: config.sandbox === null,
    publicUrl: () => place.address,
    filesUrl: () => (bucketUrl ? `${bucketUrl}/public` : `${place.address}/files`),
    callbackUrl: (name) => config.callbackUrls[name],
    reachesItself: () =>
      fetch(`${place.address}/api/v1/health/live`, { redirect: 'manual', signal: AbortSignal.timeout(5_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    publicMedia: () => config.sandbox !== null || (bucketUrl ?? place.address).startsWith('https://'),
  }
}

/** Serves the API and the app, with the sandbox if it is on. */
async function serve(
  config: Config,
  foundation: Foundation,
  services: Services,
  { place, state }: { place: Place; state: State },
  onStop: OnStop,
): Promise<void> {
  const { pool, scopes, lock } = foundation
  const app = await createApp(
    services,
    scopes,
    {
      version: VERSION,
      ready: () => state.isReady,
      checks: {
        database: async () => void (await pool.query('select 1')),
        queue: async () => {
          if (!state.areJobsTaken()) throw new Error('The connection that shows that the worker is alive was lost')
          await pool.query('select from graphile_worker.jobs limit 1')
        },
        storage: () => services.storage.check(),
      },
      client: {
        sandbox: config.sandbox ? '/sandbox' : null,
        passwordMinLength: config.passwordMinLength,
        publicMedia: services.settings.publicMedia(),
        plansChosenByOwners: services.payments.chosenByOwners,
        contactEmail: config.contactEmail ?? null,
        ai: services.model.configured,
        aiIsStandIn: config.sandbox !== null && !aiIsReal(config),
        providers: services.providers.filter(({ configured }) => configured).map(({ name }) => name),
        networks: services.networks.all().map(({ platform: name, configured }) => ({ platform: name, configured })),
      },
    },
    { token: config.metricsToken, figures: () => readFigures(scopes, pool) },
  )
  if (config.sandbox) await mountSandbox(app, config, (milliseconds) => advance(foundation, milliseconds))
  onStop(() => app.close())
  place.inside = await app.listen({ port: config.port, host: config.host })
  place.address = config.publicUrl ?? place.inside
  await lock?.announce(place.address)
  const webhook = scopes.scope(NO_WORKSPACE, { kind: 'system', name: 'webhook' })
  const stopHeartbeat = await startHeartbeat(webhook, scopes, services)
  onStop(async () => stopHeartbeat())
}

/** Moves the clock of the sandbox's product forward. */
async function advance({ pool, clock }: Foundation, milliseconds: number): Promise<Date> {
  const now = await advanceClock(pool, milliseconds)
  clock.shift += milliseconds
  clock.sync(now)
  return now
}

/** Takes jobs and publishes. Returns whether jobs are taken at present. */
async function work(
  { direct, scopes, log, local, crypto }: Foundation,
  services: Services,
  grace: number,
  onStop: OnStop,
): Promise<() => boolean> {
  const handlers = {
    ...mailJobs(services),
    ...smsJobs(services),
    ...notificationJobs(services),
    ...identityJobs(services),
    ...workspaceJobs(scopes),
    ...accountJobs(services, scopes),
    ...conversationJobs(services, scopes),
    ...mediaJobs(services, scopes),
    ...approvalJobs(),
    ...publishingJobs(services),
    ...aiJobs({ ...services, performance: readPerformance }, scopes),
    ...metricsJobs(services, scopes),
    ...competitorJobs(services, scopes),
    ...tagJobs(services, scopes),
    ...abTestJobs(scopes),
    ...reportJobs(services, scopes),
  }
  const start = scopes.scope(NO_WORKSPACE, { kind: 'system', name: 'start' })
  const jobs = await startJobs({ connection: direct, scopes, log, handlers, local, grace })
  // The address of this service may have changed since the last start.
  await start.transaction(async (tx) => void tx.enqueue('inbox-watch', {}, { key: 'inbox-watch' }))
  const publisher = startPublisher({
    ...services,
    scopes,
    drivers: { ...drivers, of: { ...drivers.of, ...createThreadDrivers(crypto, services.settings) } },
    mayClaim: jobs.alive,
  })
  onStop(async () => {
    // Both have ended before the next part is closed, also if one fails.
    const ends = [publisher.stop(), jobs.stop()]
    await Promise.allSettled(ends)
    await Promise.all(ends)
  })
  return jobs.alive
}

async function openDatabase(config: Config, onStop: OnStop) {
  const migrations = (direct: string) => migrate(direct, MIGRATIONS)
  if (config.databaseUrl) {
    const direct = config.databaseDirectUrl ?? config.databaseUrl
    await migrations(direct)
    return { url: config.databaseUrl, direct, lock: undefined as DirectoryLock | undefined }
  }
  const server = await startEmbedded({ dataDir: config.dataDir, progress: say })
  let lock: DirectoryLock
  try {
    lock = await lockDirectory(server)
  } catch (error) {
    server.leave()
    throw error
  }
  // The last added ends first.
  onStop(() => server.stop())
  onStop(() => lock.release())
  lock.onLost((error) => {
    say(error.message)
    process.exit(1)
  })
  await migrations(server.url)
  return { url: server.url, direct: server.url, lock }
}

/**
 * The identity providers, real or in the sandbox. The browser uses `address`; we reach the same providers at `inside`.
 */
function providersOf(config: Config, at: () => Place) {
  const { idpA, idpB, sandbox } = config
  const own = (path: string) => `${at().address}/sandbox/${path}`
  const reach = (url: string): { url: string; headers: Record<string, string> } => {
    const { address, inside } = at()
    if (!sandbox || !url.startsWith(`${address}/sandbox/`)) return { url, headers: {} }
    return {
      url: inside + url.slice(address.length),
      headers: sandbox.token ? { 'x-sandbox-token': sandbox.token } : {},
    }
  }
  const clients = sandboxIdentityApps(config)
  const a = sandbox ? clients.idpA : { id: idpA.clientId, secret: idpA.clientSecret }
  const b = sandbox ? clients.idpB : { id: idpB.clientId, secret: idpB.clientSecret, tenant: idpB.tenantId }
  return [
    createProvider({
      name: 'IDP_A',
      clientId: a.id,
      clientSecret: a.secret,
      issuer: () => idpA.issuer ?? (sandbox ? own('idp-a') : 'https://accounts.google.com'),
      reach,
    }),
    createProvider({
      name: 'IDP_B',
      clientId: b.id,
      clientSecret: b.secret,
      tenantId: b.tenant,
      issuer: () => idpB.issuer ?? (sandbox ? own('idp-b') : `https://login.microsoftonline.com/${idpB.tenantId}/v2.0`),
      reach,
    }),
  ]
}

/** Where mail goes. The sandbox reports its mail port, which changes with each start. */
function mailServer({ smtpUrl, sandbox }: Config, inside: () => string): (() => Promise<string>) | null {
  if (smtpUrl) return async () => smtpUrl
  if (!sandbox) return null
  return async () => {
    const headers: Record<string, string> = sandbox.token ? { 'x-sandbox-token': sandbox.token } : {}
    const answer = await fetch(`${inside()}/sandbox/smtp`, { headers, signal: AbortSignal.timeout(5_000) })
    return ((await answer.json()) as { url: string }).url
  }
}

/** Where text messages go: to the provider, or to the one of the sandbox. */
function smsOf(config: Config, inside: () => string) {
  const {
    sandbox,
    sms: { baseUrl, account },
  } = config
  const known = sandbox ? sandboxSms(config) : account
  const url = () => baseUrl ?? (sandbox ? `${inside()}/sandbox/sms-api` : 'https://api.twilio.com')
  return createSms(known ? { ...known, baseUrl: url } : null)
}

/** The language model: a real provider's, even with sandbox networks, or the sandbox's own. */
function modelOf({ ai, sandbox }: Config, inside: () => string) {
  const { provider, baseUrl, apiKey } = ai
  const { url, model, imageModel } = PROVIDERS[provider]
  if (aiIsReal({ ai })) {
    const names = { model: ai.model ?? model, imageModel: ai.imageModel ?? imageModel }
    return createModel({ provider, baseUrl: () => baseUrl ?? url, apiKey, ...names })
  }
  if (!sandbox) return createModel(null)
  const path = provider === 'anthropic' ? 'anthropic/v1' : 'v1'
  return createModel({
    provider,
    baseUrl: () => `${inside()}/sandbox/ai/${path}`,
    apiKey: SANDBOX_AI_KEY,
    model: 'sandbox-writer',
    imageModel: 'sandbox-painter',
    ...(sandbox.token && { headers: { 'x-sandbox-token': sandbox.token } }),
  })
}

const aiIsReal = ({ ai }: Pick<Config, 'ai'>) => ai.baseUrl !== undefined || ai.apiKey !== undefined
const SANDBOX_AI_KEY = 'sandbox-ai-key'

const sandboxSms = ({ sms: { account } }: Config) =>
  account ?? { accountSid: `AC${'5a'.repeat(16)}`, authToken: 'sandbox-sms-token', from: '+15005550006' }

/** The product's registration at the identity providers of the sandbox. */
const sandboxIdentityApps = ({ idpA, idpB }: Config) => ({
  idpA: { id: idpA.clientId ?? 'sandbox-idp-a', secret: idpA.clientSecret ?? 'sandbox-idp-a-secret' },
  idpB: {
    id: idpB.clientId ?? 'sandbox-idp-b',
    secret: idpB.clientSecret ?? 'sandbox-idp-b-secret',
    tenant: idpB.tenantId ?? '7e4a0000-5a5d-4b0c-8000-000000000001',
  },
})

async function mountSandbox(
  app: FastifyInstance,
  config: Config,
  advanceProduct: (milliseconds: number) => Promise<Date>,
): Promise<void> {
  const { createSandbox } = await import('../sandbox/sandbox.ts')
  const sandbox = await createSandbox({
    journal: join(config.dataDir, 'sandbox', 'journal.ndjson'),
    ...(config.sandbox?.token && { token: config.sandbox.token }),
    timeScale: config.timeScale,
    apps: { ...sandboxApps(config), ...sandboxIdentityApps(config) },
    issuerBase: config.publicUrl && `${config.publicUrl}/sandbox`,
    sms: sandboxSms(config),
    ...(config.environment !== 'production' && { advanceProduct }),
  })
  await app.register(
    async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, gate: 'public' }
      })
      await scope.register(sandbox)
    },
    { prefix: '/sandbox' },
  )
}

try {
  const stop = await start(readConfig())
  const closing = closeWithGrace({ delay: 40_000, skip: ['unhandledRejection'] }, async ({ err }) => {
    if (err) process.stderr.write(`${err.stack ?? err.message}\n`)
    await stop()
  })
  process.on('unhandledRejection', (error) => {
    // The queue does not await its record of a job's end. Without a database, its lane ends and is reopened.
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    if (isLost(error)) return
    process.exitCode = 1
    closing.close()
  })
} catch (error) {
  // An error that a person can fix is printed as its message; any other with its stack.
  const known = error instanceof ConfigError || error instanceof EmbeddedError
  process.stderr.write(`${known || !(error instanceof Error) ? String(known ? error.message : error) : error.stack}\n`)
  process.exitCode = 1
}
