import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Adapter, AdapterPayload, Provider } from 'oidc-provider'
import { mayReturnTo, pagePolicy, somebodyElse } from './dialog.ts'
import { type FaultyAnswer, answerWithFaults, type NetworkName } from './faults.ts'
import { onlyOwnForm } from './guard.ts'
import { html, page } from './html.ts'
import { formOf, queryOf } from './http.ts'
import { findIdentity, type IdentityStandIn, SANDBOX_TENANT } from './identities.ts'
import type { Store } from './store.ts'

/** The product as registered at an identity provider. */
export type OpenIdClient = { id: string; secret: string }

export type OpenIdOptions = {
  provider: IdentityStandIn
  client: OpenIdClient
  /** The tenant to sign in to at IDP_B. */
  tenant?: string | undefined
  /** The folder of the keys, which a restart reuses. */
  folder: string
}

/** Parameters that only this page uses. */
const APPROVE = 'sandbox_approve'
const REFUSE = 'sandbox_refuse'
const PERSON = 'sandbox_user'

/**
 * An identity provider: OpenID Connect by oidc-provider, with our own consent page. `sandbox_user=u7` chooses the
 * person (default u1), `sandbox_approve=1` approves without the page. There are no sessions, so each sign-in asks
 * again.
 */
export function openIdRoutes(
  app: FastifyInstance,
  store: Store,
  options: OpenIdOptions,
  base: (request: FastifyRequest) => string,
  root: string,
): void {
  const made = new Map<string, Promise<Made>>()
  /** The issuer is the address at which it is requested, which is known from the first request on. */
  const providerFor = (request: FastifyRequest): Promise<Made> => {
    const issuer = base(request) + app.prefix.slice(root.length)
    let provider = made.get(issuer)
    if (!provider) made.set(issuer, (provider = createProvider(issuer, options)))
    return provider
  }
  const network = options.provider satisfies NetworkName

  app.get('/auth', async (request, reply) => {
    const provider = await providerFor(request)
    const query = queryOf(request)
    return answerWithFaults(store, { network, request, reply }, standard, async () => {
      if (query.get(APPROVE) === '1') return authorize(provider, request, query)
      const answer = await send(provider, request, '/auth', query)
      if (answer.headers?.['location'] !== CONSENT) return answer
      const back = new URL(query.get('redirect_uri') ?? '').origin
      return {
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          // Browsers apply form-action to the redirect of a form too, so the policy must contain the origin of the app.
          'content-security-policy': pagePolicy(`'self' ${back}`),
        },
        body: page(root, `Sign in with ${network}`, consent(request, query), 'dialog'),
      }
    })
  })

  app.post('/auth', async (request, reply) => {
    onlyOwnForm(request)
    const provider = await providerFor(request)
    const query = queryOf(request)
    return answerWithFaults(store, { network, request, reply }, standard, async () => {
      if (formOf(request).get('decision') === 'approve') return authorize(provider, request, query)
      query.set(REFUSE, '1')
      return send(provider, request, '/auth', query)
    })
  })

  app.all('/*', async (request, reply) => {
    const provider = await providerFor(request)
    const path = `/${(request.params as { '*': string })['*']}`
    return answerWithFaults(store, { network, request, reply }, standard, () =>
      send(provider, request, path, queryOf(request)),
    )
  })

  /** Signs the chosen person in at the provider, for this request only. */
  async function authorize(made: Made, request: FastifyRequest, query: URLSearchParams): Promise<FaultyAnswer> {
    const identity = findIdentity(options, query.get(PERSON) ?? 'u1')
    if (!identity) {
      const text = html`<p class="card">Unknown person. The people of the sandbox are called u1, u2, u3 and so on.</p>`
      const headers = { 'content-type': 'text/html; charset=utf-8' }
      return { status: 400, headers, body: page(root, 'Cannot sign in', text, 'dialog') }
    }
    const loginTs = Math.floor(Date.now() / 1000)
    const session = Object.assign(new made.provider.Session(), { accountId: identity.sub, loginTs })
    const id = await session.save(60)
    return send(made, request, '/auth', query, `${made.provider.cookieName('session')}=${id}`)
  }

  function consent({ url }: FastifyRequest, query: URLSearchParams) {
    const chosen = query.get(PERSON) ?? 'u1'
    const { name = 'nobody', email, email_verified: verified, tid } = findIdentity(options, chosen) ?? {}
    return html`
      <section class="card">
        <p>An app wants to know who you are: <strong>${name}</strong> (${chosen}).</p>
        <p class="soft">
          ${email ?? 'No email address'}${email !== undefined && verified === false && ', not verified'}${
            tid !== undefined && tid !== (options.tenant ?? SANDBOX_TENANT) && ', from a foreign tenant'
          }
        </p>
        <form method="post" action="${url}">
          <div class="row">
            <button class="main" name="decision" value="approve">Approve</button>
            <button name="decision" value="refuse">Refuse</button>
          </div>
        </form>
      </section>
      ${somebodyElse(
        url,
        query,
        chosen,
        options.provider === 'IDP_A'
          ? 'People whose number ends in 3 have an unverified address, and those with 4 have none.'
          : 'People whose number ends in 3 are from a foreign tenant, and those with 4 have no address.',
      )}
    `
  }
}

type Made = { provider: Provider; issuer: URL }

/** The address to which the provider redirects if the person must be asked first. It is intercepted here. */
const CONSENT = '/consent'

const standard = (status: number) => ({ error: status < 500 ? 'invalid_request' : 'server_error' })

/** Passes a request to the provider as if it had arrived over the network. */
async function send(
  { provider, issuer }: Made,
  request: FastifyRequest,
  path: string,
  query: URLSearchParams,
  cookie?: string,
): Promise<FaultyAnswer> {
  const { authorization, 'content-type': type, accept } = request.headers
  const isForm = request.body instanceof URLSearchParams && path !== '/auth'
  // The provider takes over the request before anything is read from it.
  const inside = Fastify().addHook('onRequest', async ({ raw }, reply) => {
    reply.hijack()
    void provider.callback()(Object.assign(raw, { baseUrl: issuer.pathname }), reply.raw)
  })
  const answer = await inside.inject({
    method: path === '/auth' ? 'GET' : request.method === 'POST' ? 'POST' : 'GET',
    url: query.size > 0 ? `${path}?${query}` : path,
    headers: {
      host: issuer.host,
      'x-forwarded-proto': issuer.protocol.slice(0, -1),
      ...(authorization && { authorization }),
      ...(accept && { accept }),
      ...(cookie && { cookie }),
      ...(isForm && { 'content-type': type }),
    },
    ...(isForm && { payload: String(request.body) }),
  })
  // These pages have no session, and the code that sends the answer sets its length.
  const dropped = new Set(['set-cookie', 'content-length', 'connection', 'transfer-encoding', 'date'])
  const headers = Object.entries(answer.headers).filter(([name, value]) => !dropped.has(name) && value !== undefined)
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: answer.body,
  }
}

let library: ReturnType<typeof load> | undefined

/**
 * Loads the library without its warning about Node 20, which runs the tests, since a normal start must not print a
 * warning.
 */
async function load() {
  const { warn } = console
  console.warn = (...said: unknown[]) => void (String(said[0]).includes('Unsupported runtime') || warn(...said))
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
}

async function createProvider(issuer: string, options: OpenIdOptions): Promise<Made> {
  library ??= load()
  const { errors, interactionPolicy, Provider } = await library
  const { Check, Prompt } = interactionPolicy
  // Our page asks the person, and submits the decision with the request.
  const ask = new Prompt(
    { name: 'login', requestable: true },
    new Check('chosen', 'a person must be chosen', (context) => {
      if (context.query[REFUSE] === '1') throw new errors.AccessDenied('the person refused')
      return context.oidc.session?.accountId ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
    }),
  )
  const provider = new Provider(issuer, {
    adapter: createMemory(),
    clients: [
      {
        client_id: options.client.id,
        client_secret: options.client.secret,
        // With only one address, a request without an address would be redirected there.
        redirect_uris: ['https://any.invalid/', 'https://other.invalid/'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [readKey(options)] },
    claims: { openid: ['sub', 'tid', 'oid'], email: ['email', 'email_verified'], profile: ['name'] },
    // Like the real providers, the token itself contains the claims of the requested scopes.
    conformIdTokenClaims: false,
    scopes: ['openid', 'email', 'profile'],
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    pkce: { required: () => false },
    interactions: { url: () => CONSENT, policy: [ask] },
    expiresWithSession: () => false,
    ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 3600, Interaction: 60, Session: 60 },
    findAccount: (_context, key) => {
      const claims = findIdentity(options, key)
      return claims && { accountId: claims.sub, claims: () => ({ ...claims }) }
    },
    async loadExistingGrant({ oidc }) {
      const { account, client } = oidc
      const grant = new oidc.provider.Grant({ accountId: account!.accountId, clientId: client!.clientId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = 'text/plain; charset=utf-8'
      context.body = `${error}: ${description ?? ''}`
    },
  })
  provider.proxy = true
  // Redirect addresses of apps are not registered here.
  provider.Client.prototype.redirectUriAllowed = mayReturnTo
  return { provider, issuer: new URL(issuer) }
}

/** Stores short-lived values in memory. A restart loses them. */
function createMemory(): (model: string) => Adapter {
  const kept = new LRUCache<string, AdapterPayload>({ max: 5_000 })
  return (model) => ({
    async upsert(id, payload, seconds) {
      kept.set(`${model}:${id}`, payload, { ttl: (seconds ?? 3600) * 1000 })
    },
    find: async (id) => kept.get(`${model}:${id}`),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async consume(id) {
      const found = kept.get(`${model}:${id}`)
      if (found) found.consumed = Math.floor(Date.now() / 1000)
    },
    async destroy(id) {
      kept.delete(`${model}:${id}`)
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of kept.entries()) if (payload.grantId === grantId) kept.delete(key)
    },
  })
}

/** Returns the key that signs this provider's tokens, and creates it on first use. */
function readKey({ folder, provider }: OpenIdOptions): JsonWebKey {
  const file = join(folder, `${provider.toLowerCase()}-key.json`)
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, JSON.stringify(jwkOf(privateKey)), { mode: 0o600, flush: true })
    try {
      // Unlike a rename, a link never replaces a key that another process has just created.
      linkSync(draft, file)
    } catch (error) {
      if (!existsSync(file)) throw error
    } finally {
      rmSync(draft)
    }
  }
  return JSON.parse(readFileSync(file, 'utf8')) as JsonWebKey
}

const jwkOf = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' })
