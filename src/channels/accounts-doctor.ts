import { en, grantedBefore } from '../core/texts/doctor/en.ts'
import { refusals } from '../core/texts/failures/en.ts'
import { fill } from '../core/texts/fill.ts'
import { AppError } from '../core/errors.ts'
import { type Examination, type Network, NetworkError, unlessUnknown } from '../networks/network.ts'
import { facts } from '../networks/rules.ts'
import { failures } from '../networks/failures/rules.ts'
import { query } from '../core/platform/db.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import { needReconnect, tokenPlace } from './accounts.ts'
import { withToken } from './accounts-refresh.ts'
import { webhookAddress } from './accounts-webhooks.ts'
import type { DoctorCheck, SocialAccount } from './api.ts'
import type { Platform } from '../networks/api.ts'

// Finds the obstacles between an account and its posts, from our own facts and from its network's answers.

type Counted = Awaited<ReturnType<Ports['budget']['counted']>>
type DoctorPorts = Pick<Ports, 'networks' | 'crypto' | 'budget' | 'settings'>

interface Patient {
  platform: Platform
  status: SocialAccount['status']
  name: string
  externalId: string
  networkUser: string
  accessToken: string | null
  userToken: string | null
  renews: boolean
  tokenExpiresAt: Date | null
  refreshExpiresAt: Date | null
  grantedScopes: string[]
  paused: boolean
  workspacePaused: boolean
}

const DAY = 86_400_000
/** People are warned this long before the end of the token that renews the others. */
const ENDS_SOON = 14 * DAY

/** Examines an account in every respect. Throws `not_found`; any failure of the network becomes a finding. */
export async function examineAccount(
  scope: Scope,
  ports: DoctorPorts,
  id: string,
): Promise<{ checkedAt: string; checks: DoctorCheck[] }> {
  const [[found]] = await scope.read(query<Patient>`select a.platform, a.status, a.name, a.external_id, a.network_user,
      a.access_token, a.user_token, (a.refresh_token is not null or a.user_token is not null) as renews,
      a.token_expires_at, a.refresh_expires_at, a.granted_scopes, a.paused_at is not null as paused,
      w.publishing_paused_at is not null as workspace_paused
    from social_account a join workspace w on w.id = a.workspace_id
    where a.workspace_id = ${scope.workspaceId} and a.id = ${id} and a.status <> 'DISCONNECTED'`)
  if (!found) throw new AppError('not_found')
  const network = ports.networks.get(found.platform)
  const now = scope.now()
  const who = { app: network.app, userKey: found.networkUser }
  const [asked, media] = await Promise.all([askNetwork(scope, ports, network, id, found), mediaCheck(ports)])
  const counted = await ports.budget.counted(who)
  const ended = asked === 'not_connected' || (asked instanceof NetworkError && asked.kind === 'AUTH')
  return {
    checkedAt: now.toISOString(),
    checks: [
      accountCheck(found, ended),
      publishingCheck(found),
      appCheck(network),
      tokenCheck(asked),
      ended ? waits('expiry') : expiryCheck(found, now),
      ...scopeChecks(network, found, asked, ended),
      callsCheck(ports.budget.limit(found.platform), counted, now),
      ...postsChecks(found.platform, asked, ended),
      media,
      webhooksCheck(network, asked, ended),
    ],
  }
}

type Words = Record<string, { detail: string; fix?: string }>

/** A finding with the text of its state, if `values` names one, otherwise of its outcome. */
function say(
  code: DoctorCheck['code'],
  outcome: DoctorCheck['outcome'],
  more: Partial<Pick<DoctorCheck, 'detail' | 'fix' | 'act' | 'failure' | 'values'>> = {},
): DoctorCheck {
  const { values = {} } = more
  const words: Words = en[code]
  const { detail = '', fix } = words[values['state'] ?? outcome] ?? {}
  const said = { detail: fill(detail, values), fix: fix ?? null }
  return { code, outcome, act: 'none', failure: null, values, ...said, ...more }
}

/**
 * A finding that is unknown until the access is restored. The ended access itself is reported only once, by
 * `tokenCheck`.
 */
const waits = (code: DoctorCheck['code']) => say(code, 'unknown', { values: { state: 'access' } })

/** `subscribed`: whether the network sends the account's events here; null if it does not say. */
type Asked = (Examination & { subscribed: boolean | null }) | NetworkError | 'not_connected' | 'no_calls'

/** Asks the network, within the person's remaining calls. A refused token marks the account, as everywhere else. */
async function askNetwork(
  scope: Scope,
  ports: DoctorPorts,
  network: Network,
  id: string,
  { platform, status, networkUser, externalId, accessToken, userToken }: Patient,
): Promise<Asked> {
  if (status !== 'CONNECTED' || accessToken === null) return 'not_connected'
  const who = { app: network.app, userKey: networkUser }
  const reserved = await ports.budget.reserve(
    who,
    network.examineCost + (network.inbox?.checkCost ?? 0),
    'begin',
    platform,
  )
  if ('until' in reserved) return 'no_calls'
  const holder = { accountId: id, accessToken }
  try {
    const place = tokenPlace(scope.workspaceId, id, 'user_token')
    const person = userToken === null ? null : ports.crypto.open(userToken, place)
    const { reservation } = reserved
    return await withToken(scope, ports, holder, async (accessToken) => {
      const told = await network.examine({ externalId, accessToken, userToken: person }, reservation)
      const asked = network.inbox?.isSubscribed(
        { account: { externalId, accessToken }, reservation },
        webhookAddress(ports, platform),
      )
      return { ...told, subscribed: asked ? await unlessUnknown(asked) : null }
    })
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.info(
      { err: error, accountId: id, networkCode: error.networkCode },
      'the network refused the account check',
    )
    if (error.kind === 'AUTH') await scope.transaction((tx) => needReconnect(tx, id, holder.accessToken))
    return error
  } finally {
    await reserved.release()
  }
}

function accountCheck({ paused }: Patient, ended: boolean): DoctorCheck {
  if (!paused) return ended ? waits('account') : say('account', 'ok')
  return say('account', 'warning', { act: 'admin', values: { state: 'paused' } })
}

const publishingCheck = ({ workspacePaused }: Patient) =>
  workspacePaused ? say('publishing', 'warning', { act: 'admin' }) : say('publishing', 'ok')

const appCheck = ({ configured }: Network) =>
  configured ? say('app', 'ok') : say('app', 'failed', { act: 'operator' })

const ACTS = { author: 'admin', admin: 'admin', operator: 'operator', network: 'none', nobody: 'none' } as const

function tokenCheck(asked: Asked): DoctorCheck {
  if (asked === 'not_connected') return say('token', 'failed', { act: 'reconnect' })
  if (asked === 'no_calls') return say('token', 'unknown')
  if (!(asked instanceof NetworkError)) return say('token', 'ok')
  const { failure, kind } = asked
  const { message, fix } = refusals[failure]
  if (['TRANSIENT', 'AMBIGUOUS', 'RATE_LIMIT'].includes(kind)) {
    return say('token', 'unknown', { detail: message, fix, failure })
  }
  const act = kind === 'AUTH' || kind === 'PERMISSION' ? 'reconnect' : ACTS[failures[failure].who]
  return say('token', 'failed', { detail: asked.said ?? message, fix, act, failure })
}

function expiryCheck({ tokenExpiresAt, refreshExpiresAt, renews }: Patient, now: Date): DoctorCheck {
  if (!tokenExpiresAt) return say('expiry', 'ok', { values: { state: 'endless' } })
  const at = tokenExpiresAt.toISOString()
  if (tokenExpiresAt <= now) return say('expiry', 'failed', { act: 'reconnect', values: { at, state: 'over' } })
  const last = renews ? refreshExpiresAt : tokenExpiresAt
  if (last && last.getTime() < now.getTime() + ENDS_SOON) {
    return say('expiry', 'warning', { act: 'reconnect', values: { at: last.toISOString(), state: 'soon' } })
  }
  return say('expiry', 'ok', { values: { at } })
}

/**
 * Compares the granted permissions with the needed ones. Uses the network's present answer, or else the grants from
 * connecting.
 */
function scopeChecks(network: Network, { grantedScopes }: Patient, asked: Asked, ended: boolean): DoctorCheck[] {
  const told = typeof asked === 'object' && !(asked instanceof NetworkError) ? asked.grantedScopes : null
  const granted = new Set(told ?? grantedScopes)
  const missing = network.scopes.filter(({ scope }) => !granted.has(scope))
  if (missing.length === 0) {
    if (ended) return [waits('scope')]
    return [say('scope', 'ok', told ? {} : { detail: grantedBefore })]
  }
  return missing.map(({ scope, neededFor }) =>
    say('scope', neededFor === 'publish' || neededFor === 'connect' ? 'failed' : 'warning', {
      act: 'reconnect',
      values: { scope, neededFor },
    }),
  )
}

function callsCheck(limit: number | null, { calls: used, blockedUntil }: Counted, now: Date): DoctorCheck {
  if (limit === null) return say('calls', 'ok', { values: { state: 'none' } })
  const values = { used, limit }
  if (blockedUntil && blockedUntil > now) {
    return say('calls', 'failed', { values: { ...values, at: blockedUntil.toISOString(), state: 'blocked' } })
  }
  const free = limit - Math.ceil(limit / 10) - used
  return say('calls', free > limit / 10 ? 'ok' : free <= 0 ? 'failed' : 'warning', { values })
}

function postsChecks(platform: Platform, asked: Asked, ended: boolean): DoctorCheck[] {
  if (facts[platform].postsPerDay === null) return []
  if (ended) return [waits('posts')]
  if (typeof asked !== 'object' || asked instanceof NetworkError || asked.posts === null) {
    return [say('posts', 'unknown')]
  }
  if (asked.posts === 'may') return [say('posts', 'ok', { values: { state: 'may' } })]
  const { used, limit } = asked.posts
  const outcome = used >= limit ? 'failed' : used >= limit * 0.9 ? 'warning' : 'ok'
  return [say('posts', outcome, { values: { used, limit } })]
}

function webhooksCheck({ inbox }: Network, asked: Asked, ended: boolean): DoctorCheck {
  if (!inbox) return say('webhooks', 'ok', { values: { state: 'none' } })
  if (ended) return waits('webhooks')
  if (typeof asked !== 'object' || asked instanceof NetworkError || asked.subscribed === null)
    return say('webhooks', 'unknown')
  return asked.subscribed ? say('webhooks', 'ok') : say('webhooks', 'failed', { act: 'reconnect' })
}

/** Whether networks can fetch files from here: over https, from an address that answers. */
async function mediaCheck({ settings }: DoctorPorts): Promise<DoctorCheck> {
  const url = settings.publicUrl()
  if (!settings.publicMedia()) return say('media', 'failed', { act: 'operator', values: { url } })
  if (await settings.reachesItself()) return say('media', 'ok', { values: { url } })
  return say('media', 'warning', { act: 'operator', values: { url, state: 'unreached' } })
}
