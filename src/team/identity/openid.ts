import { createHash } from 'node:crypto'
import type * as OpenId from 'openid-client'
import type { ProviderName } from './api.ts'
import { fetchOnce } from '../../core/platform/send-once.ts'

// Sign-in by OpenID Connect: the particulars of IDP_A and IDP_B, without accounts.

/** A person at a provider. Issuer and subject are the key; the address is only a claim of the provider. */
export interface Identity {
  provider: ProviderName
  issuer: string
  subject: string
  email: string | null
  /** Whether the provider vouches for the address. IDP_B never does. */
  emailVerified: boolean
  name: string
}

export interface IdentityProvider {
  name: ProviderName
  configured: boolean
  /** The address for the browser. `secret` belongs to that browser; challenge and nonce derive from it. */
  authorizeUrl(input: { state: string; secret: string; redirectUri: string }): Promise<string>
  /** Verifies a return from the provider and returns the person. Throws ProviderError. */
  identify(input: { query: URLSearchParams; state: string; secret: string; redirectUri: string }): Promise<Identity>
}

/** Why a provider did not identify a person. */
export class ProviderError extends Error {
  /**
   * `refused`: the person refused. `untrusted`: the answer proves nothing. `unreachable`: there was no sensible answer.
   */
  readonly kind: 'refused' | 'untrusted' | 'foreign_tenant' | 'unreachable'

  constructor(kind: ProviderError['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ProviderError'
    this.kind = kind
  }
}

export interface ProviderSettings {
  name: ProviderName
  clientId: string | undefined
  clientSecret: string | undefined
  issuer: () => string
  /** The only tenant whose people may sign in, if the provider has tenants. */
  tenantId?: string | undefined
  /** Maps an address of the provider to the one at which we reach it, if they differ. */
  reach?: (url: string) => { url: string; headers: Record<string, string> }
}

const TIMEOUT_SECONDS = 10
const FRESH = 3_600_000
const TOLERANCE_SECONDS = 30

export function createProvider(settings: ProviderSettings): IdentityProvider {
  const { name, clientId, clientSecret, tenantId, reach } = settings
  let known: { configuration: Promise<OpenId.Configuration>; at: number; issuer: string } | undefined

  /**
   * The provider's description of itself, read once an hour. A failed read is repeated at once, since reading has no
   * effect.
   */
  async function discover(): Promise<{ client: typeof OpenId; configuration: OpenId.Configuration }> {
    const client = await import('openid-client')
    const issuer = settings.issuer()
    if (!known || known.issuer !== issuer || Date.now() - known.at > FRESH) {
      const configuration = ask(client, issuer).catch(() => ask(client, issuer))
      known = { configuration, at: Date.now(), issuer }
    }
    const asked = known
    try {
      return { client, configuration: await asked.configuration }
    } catch (error) {
      if (known === asked) known = undefined
      throw new ProviderError('unreachable', `${name} did not return its configuration`, error)
    }
  }

  const ask = (client: typeof OpenId, issuer: string) =>
    client.discovery(
      new URL(issuer),
      clientId ?? '',
      // Both providers use only this algorithm, so a token with another is invalid.
      { id_token_signed_response_alg: 'RS256', [client.clockTolerance]: TOLERANCE_SECONDS },
      client.ClientSecretPost(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [
          // The signature is checked even though the token comes directly from the provider.
          client.enableNonRepudiationChecks,
          ...(new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
        // A code can be exchanged only once, so that call is never repeated.
        [client.customFetch]: fetchBy(reach),
      },
    )

  return {
    name,
    configured: Boolean(clientId && clientSecret && (name === 'IDP_A' || tenantId)),

    async authorizeUrl({ state, secret, redirectUri }) {
      const { client, configuration } = await discover()
      const challenge = createHash('sha256').update(made('verifier', secret)).digest('base64url')
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce: made('nonce', secret),
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }).href
    },

    async identify({ query, state, secret, redirectUri }) {
      const { client, configuration } = await discover()
      const back = new URL(redirectUri)
      back.search = query.toString()
      let claims: OpenId.IDToken | undefined
      try {
        const tokens = await client.authorizationCodeGrant(configuration, back, {
          pkceCodeVerifier: made('verifier', secret),
          expectedState: state,
          expectedNonce: made('nonce', secret),
          idTokenExpected: true,
        })
        claims = tokens.claims()
      } catch (error) {
        known = undefined
        throw asProviderError(client, name, error)
      }
      if (!claims) throw new ProviderError('untrusted', `${name} returned no ID token`)
      const identity = name === 'IDP_B' ? ofTenant(claims, tenantId) : ofPerson(claims)
      if (/[\p{Cc}\p{Cs}]/u.test(identity.subject))
        throw new ProviderError('untrusted', `${name} returned a subject with invalid characters`)
      return identity
    },
  }
}

/** The secrets of one sign-in, derived from the browser's secret so that none is stored. */
const made = (what: 'verifier' | 'nonce', secret: string) =>
  createHash('sha256').update(`${what} ${secret}`).digest('base64url')

function ofPerson(claims: OpenId.IDToken): Identity {
  const email = addressOf(claims)
  return {
    provider: 'IDP_A',
    issuer: claims.iss,
    subject: claims.sub,
    email,
    emailVerified: email !== null && claims['email_verified'] === true,
    name: nameOf(claims),
  }
}

/** In a tenant, an object id identifies a person across all apps. The address is whatever an administrator entered. */
function ofTenant(claims: OpenId.IDToken, tenantId: string | undefined): Identity {
  const { tid, oid } = claims
  if (typeof tid !== 'string' || tid === '' || tid !== tenantId) {
    throw new ProviderError('foreign_tenant', 'IDP_B returned a user of another tenant')
  }
  if (typeof oid !== 'string' || oid === '') throw new ProviderError('untrusted', 'IDP_B returned no object ID')
  return {
    provider: 'IDP_B',
    issuer: tid,
    subject: oid,
    email: addressOf(claims),
    emailVerified: false,
    name: nameOf(claims),
  }
}

function addressOf({ email }: OpenId.IDToken): string | null {
  if (typeof email !== 'string') return null
  // Checked before lowercasing: the Kelvin sign would become a k and give another person's address.
  if (!/^[\x20-\x7e]*$/.test(email.trim())) return null
  const address = email.trim().toLowerCase()
  return address.length <= 254 && /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\.]+(?:\.[^\s@<>"(),:;\\.]+)+$/.test(address)
    ? address
    : null
}

const nameOf = ({ name }: OpenId.IDToken) =>
  typeof name === 'string'
    ? name
        .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
        .trim()
        .slice(0, 100)
    : ''

function asProviderError(client: typeof OpenId, name: ProviderName, error: unknown): ProviderError {
  if (error instanceof client.AuthorizationResponseError) {
    return error.error === 'access_denied'
      ? new ProviderError('refused', 'the person denied access', error)
      : new ProviderError('untrusted', `${name} returned ${error.error}`, error)
  }
  if (error instanceof client.ResponseBodyError && error.status < 500) {
    return new ProviderError('untrusted', `${name} returned ${error.error}`, error)
  }
  const code = (error as { code?: unknown }).code
  const down = ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR', 'OAUTH_TIMEOUT']
  if (error instanceof client.ClientError && typeof code === 'string' && !down.includes(code)) {
    return new ProviderError('untrusted', `${name} sent a response that cannot be verified: ${error.message}`, error)
  }
  return new ProviderError('unreachable', `${name} did not respond properly`, error)
}

const fetchBy =
  (reach: NonNullable<ProviderSettings['reach']> = (url) => ({ url, headers: {} })): OpenId.CustomFetch =>
  (url, { headers, ...options }) => {
    const way = reach(url)
    return fetchOnce(way.url, { ...options, headers: { ...headers, ...way.headers } } as RequestInit)
  }
