import { AppError, type Code } from '../../core/errors.ts'
import type { Language, ProviderName } from '../identity/api.ts'
import { addIdentity, enter, joinIdentity } from '../identity/identities.ts'
import {
  addSession,
  addUser,
  freeAddress,
  type Device,
  type OpenedSession,
  openSession,
  type SessionRow,
} from '../identity/identity.ts'
import { arrive, type ArrivalError } from '../identity/oauth.ts'
import type { Identity } from '../identity/openid.ts'
import { withQuery } from '../../core/platform/own-path.ts'
import type { Scopes, Scope } from '../../core/platform/scope.ts'
import type { Ports } from '../../services.ts'
import { addFirstWorkspace } from './workspaces.ts'

type Needs = Pick<Ports, 'sms' | 'providers' | 'settings' | 'tokens' | 'crypto'>

/** The refusals of an identity that the app explains to the person. */
const refusals: ReadonlySet<Code> = new Set(['link_required', 'account_disabled', 'identity_taken', 'session_revoked'])

export interface SignInResult {
  /** A path of our app, with `error` if the sign-in failed. */
  redirect: string
  opened?: OpenedSession
}

/**
 * Finishes a sign-in through an identity provider: with a session, a joined identity, or the reason of a failure. A
 * person without an account gets one with a first workspace. The browser is at an address of the API, so a failure of
 * our own returns to the app too, as `internal`.
 */
export async function finishSignIn(
  scopes: Pick<Scopes, 'foundingScope'>,
  scope: Scope,
  ports: Needs,
  input: {
    provider: string
    query: URLSearchParams
    browserSecret: string | undefined
    origin: string
    device: Device
    language: Language
  },
): Promise<SignInResult> {
  const { userId, sessionId, redirect, found } = await arrive(scope, ports, input)
  const failed = (error: ArrivalError | Code): SignInResult => {
    const more = { error, provider: input.provider }
    // A person who was signed out in between reads the reason on the sign-in screen.
    if (userId && error !== 'session_revoked') return { redirect: withQuery(redirect, more) }
    return { redirect: withQuery('/app/login', { ...more, ...(redirect !== '/app' && { to: redirect.slice(4) }) }) }
  }
  if (typeof found === 'string') return failed(found)
  try {
    if (userId) {
      await joinIdentity(scope, ports, { userId, sessionId }, found)
      return { redirect: withQuery(redirect, { joined: found.provider satisfies ProviderName }) }
    }
    const session = await sessionFor(scopes, scope, ports, found, input)
    return { redirect, opened: await openSession(scope, ports, session) }
  } catch (error) {
    if (error instanceof AppError && refusals.has(error.code)) return failed(error.code)
    scope.log.error({ err: error, provider: input.provider }, 'a sign-in failed')
    return failed('internal')
  }
}

async function sessionFor(
  scopes: Pick<Scopes, 'foundingScope'>,
  scope: Scope,
  ports: Needs,
  identity: Identity,
  { device, language }: { device: Device; language: Language },
): Promise<SessionRow> {
  // If another process has just created the account, the next try finds it.
  for (let tries = 1; ; tries += 1) {
    const entry = await enter(scope, ports, identity, device)
    if ('session' in entry) return entry.session
    try {
      return await createAccount(scopes, scope, ports, identity, { device, language })
    } catch (error) {
      const met = error instanceof AppError && (error.code === 'identity_taken' || error.code === 'email_taken')
      if (!met || tries > 2) throw error
    }
  }
}

/** Creates an account with its first workspace, its identity and a session. Only IDP_A can confirm the address. */
async function createAccount(
  { foundingScope }: Pick<Scopes, 'foundingScope'>,
  { actor }: Scope,
  ports: Needs,
  identity: Identity,
  { device, language }: { device: Device; language: Language },
): Promise<SessionRow> {
  const { email, emailVerified, name, provider } = identity
  return foundingScope(actor).transaction(async (tx) => {
    if (email !== null && emailVerified) await freeAddress(tx, email)
    const userId = await addUser(tx, {
      email,
      confirmed: emailVerified,
      name,
      timezone: 'UTC',
      language,
      defaultWorkspaceId: tx.workspaceId,
    })
    if (!(await addIdentity(tx, userId, identity, { lastUsedAt: tx.now }))) throw new AppError('identity_taken')
    await addFirstWorkspace(tx, ports, userId, { name, timezone: 'UTC', language })
    return addSession(tx, userId, device, provider)
  })
}
