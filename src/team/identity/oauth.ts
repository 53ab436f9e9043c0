import { AppError } from '../../core/errors.ts'
import { newSecret } from '../../core/platform/crypto.ts'
import { countTry } from '../../core/platform/limits.ts'
import { type Identity, type IdentityProvider, ProviderError } from './openid.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { keepState, takeState } from './oauth-state.ts'
import { addressOf } from './tries.ts'

type Needs = Pick<Ports, 'providers' | 'settings'>

const providerOf = ({ providers }: Needs, name: string): IdentityProvider => {
  const provider = providers.find((each) => each.name === name)
  if (!provider) throw new AppError('unknown_provider')
  return provider
}

const callbackUrl = ({ settings }: Needs, name: string, origin: string) =>
  settings.callbackUrl(name) ?? `${origin}/api/v1/auth/oauth/${name}/callback`

/**
 * The address at which the provider asks the person to sign in: for one browser, for ten minutes, once. With a
 * `userId`, the identity is joined to that account. Throws `unknown_provider`, `provider_not_configured`,
 * `network_error`, `rate_limited`.
 */
export async function beginSignIn(
  scope: Scope,
  ports: Needs,
  input: { provider: string; userId: string | null; redirect: string; origin: string },
): Promise<{ authorizationUrl: string; state: string; browserSecret: string }> {
  const provider = providerOf(ports, input.provider)
  const { name } = provider
  if (!provider.configured) {
    throw new AppError(
      'provider_not_configured',
      `${name} isn’t set up. Ask the Parley administrator to configure it.`,
      { retryAfter: 3600 },
    )
  }
  await countTry(scope, {
    key: `providers from ${addressOf(scope)}`,
    tries: ports.settings.triesPerAddress,
    seconds: 60,
  })
  const state = newSecret()
  const browserSecret = newSecret()
  const redirectUri = callbackUrl(ports, name, input.origin)
  const authorizationUrl = await provider
    .authorizeUrl({ state, secret: browserSecret, redirectUri })
    .catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error
      scope.log.warn({ err: error, provider: name }, 'an identity provider did not answer')
      throw new AppError('network_error', `${name} didn’t respond. Try again in a few minutes.`)
    })
  const { userId, redirect } = input
  const purpose = userId ? 'join' : 'login'
  await keepState(scope, { state, browserSecret, provider: name, purpose, userId, redirect })
  return { authorizationUrl, state, browserSecret }
}

/** Why a sign-in through a provider failed. The app shows it. */
export type ArrivalError = 'link_expired' | 'access_denied' | 'sign_in_refused' | 'foreign_tenant' | 'network_error'

/** A person who returned from a provider: to sign in or, with a `userId`, to join the identity to that account. */
export interface Arrival {
  userId: string | null
  /** The session in which the person left. */
  sessionId: string | null
  redirect: string
  found: Identity | ArrivalError
}

const arrivalErrors: Record<ProviderError['kind'], ArrivalError> = {
  refused: 'access_denied',
  untrusted: 'sign_in_refused',
  foreign_tenant: 'foreign_tenant',
  unreachable: 'network_error',
}

/** Handles a return from a provider. A state that this browser did not get from us reveals nothing. */
export async function arrive(
  scope: Scope,
  ports: Needs,
  input: { provider: string; query: URLSearchParams; browserSecret: string | undefined; origin: string },
): Promise<Arrival> {
  const provider = providerOf(ports, input.provider)
  const { browserSecret: secret = '' } = input
  const state = input.query.get('state') ?? ''
  const taken = await takeState(scope, provider.name, ['login', 'join'], { state, browserSecret: secret })
  if (!taken) return { userId: null, sessionId: null, redirect: '/app', found: 'link_expired' }
  const redirectUri = callbackUrl(ports, provider.name, input.origin)
  try {
    return { ...taken, found: await provider.identify({ query: input.query, state, secret, redirectUri }) }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.kind === 'refused')
      scope.log.info({ provider: provider.name }, 'a person declined at the identity provider')
    else scope.log.warn({ err: error, provider: provider.name }, 'signing in by a provider failed')
    return { ...taken, found: arrivalErrors[error.kind] }
  }
}
