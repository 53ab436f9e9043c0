import { refusals } from '../core/texts/failures/en.ts'
import { AppError } from '../core/errors.ts'
import { type Examination, type Network, NetworkError } from '../networks/network.ts'
import { failures } from '../networks/failures/rules.ts'
import { query } from '../core/platform/db.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import { needReconnect, tokenPlace } from './accounts.ts'
import { withToken } from './accounts-refresh.ts'
import type { DoctorCheck, SocialAccount } from './api.ts'
import type { Platform } from '../networks/api.ts'

// What stands between an account and its posts: what we know ourselves, and what its network says when it is asked.

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
/** Before the end of what renews a token people are told. */
const ENDS_SOON = 14 * DAY

/** Looks at an account from all sides. Throws `not_found`; whatever the network does is a finding. */
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
      say('webhooks', 'ok', 'Not used yet: nothing has to be subscribed.'),
    ],
  }
}

function say(
  code: DoctorCheck['code'],
  outcome: DoctorCheck['outcome'],
  detail: string,
  more: Partial<Pick<DoctorCheck, 'fix' | 'act' | 'failure' | 'values'>> = {},
): DoctorCheck {
  return { code, outcome, detail, fix: null, act: 'none', failure: null, values: {}, ...more }
}

/** An access that ended is told once, with the access: until it is mended nobody knows this. */
const waits = (code: DoctorCheck['code']) =>
  say(code, 'unknown', 'This can be looked at once the access works again.', { values: { state: 'access' } })

type Asked = Examination | NetworkError | 'not_connected' | 'no_calls'

/** Asks the network, within the calls that the person has; a refused token is the account's matter, as everywhere. */
async function askNetwork(
  scope: Scope,
  ports: DoctorPorts,
  network: Network,
  id: string,
  { platform, status, networkUser, externalId, accessToken, userToken }: Patient,
): Promise<Asked> {
  if (status !== 'CONNECTED' || accessToken === null) return 'not_connected'
  const who = { app: network.app, userKey: networkUser }
  const reserved = await ports.budget.reserve(who, network.examineCost, 'begin', platform)
  if ('until' in reserved) return 'no_calls'
  const holder = { accountId: id, accessToken }
  try {
    const place = tokenPlace(scope.workspaceId, id, 'user_token')
    const person = userToken === null ? null : ports.crypto.open(userToken, place)
    return await withToken(scope, ports, holder, (token) =>
      network.examine({ externalId, accessToken: token, userToken: person }, reserved.permit),
    )
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.info({ err: error, accountId: id, networkCode: error.networkCode }, 'a network has something against it')
    if (error.kind === 'AUTH') await scope.transaction((tx) => needReconnect(tx, id, holder.accessToken))
    return error
  } finally {
    await reserved.release()
  }
}

function accountCheck({ paused }: Patient, ended: boolean): DoctorCheck {
  if (!paused) return ended ? waits('account') : say('account', 'ok', 'The account is connected.')
  return say('account', 'warning', 'The account is paused: its posts wait.', {
    fix: 'Resume the account.',
    act: 'admin',
    values: { state: 'paused' },
  })
}

const publishingCheck = ({ workspacePaused }: Patient) =>
  workspacePaused
    ? say('publishing', 'warning', 'Publishing of the whole workspace is paused.', {
        fix: 'Resume publishing in the settings.',
        act: 'admin',
      })
    : say('publishing', 'ok', 'Publishing is not paused.')

const appCheck = ({ configured }: Network) =>
  configured
    ? say('app', 'ok', 'The application is set up. Whether it is live cannot be read from the network.')
    : say('app', 'failed', 'The application of this network is not set up.', {
        fix: 'Have the operator set its id and secret.',
        act: 'operator',
      })

const ACTS = { author: 'admin', admin: 'admin', operator: 'operator', network: 'none', nobody: 'none' } as const

function tokenCheck(asked: Asked): DoctorCheck {
  if (asked === 'not_connected') {
    return say('token', 'failed', 'There is no access that works: posts of the account wait.', {
      fix: 'Connect the account again.',
      act: 'reconnect',
    })
  }
  if (asked === 'no_calls') {
    return say('token', 'unknown', 'The network could not be asked: no calls are left this hour.')
  }
  if (!(asked instanceof NetworkError)) return say('token', 'ok', 'The network accepts our access.')
  const { who } = failures[asked.failure]
  const refused = !['TRANSIENT', 'AMBIGUOUS', 'RATE_LIMIT'].includes(asked.kind)
  const act = asked.kind === 'AUTH' || asked.kind === 'PERMISSION' ? 'reconnect' : ACTS[who]
  return say('token', refused ? 'failed' : 'unknown', refused ? asked.message : 'The network did not answer.', {
    fix: refused ? refusals[asked.failure].fix : 'Look again later.',
    act: refused ? act : 'none',
    failure: asked.failure,
  })
}

function expiryCheck({ tokenExpiresAt, refreshExpiresAt, renews }: Patient, now: Date): DoctorCheck {
  const again = { fix: 'Connect the account again.', act: 'reconnect' } as const
  if (!tokenExpiresAt)
    return say('expiry', 'ok', 'The access does not end by itself.', { values: { state: 'endless' } })
  const values = { at: tokenExpiresAt.toISOString() }
  if (tokenExpiresAt <= now) {
    return say('expiry', 'failed', `The access ended at ${values.at}.`, {
      ...again,
      values: { ...values, state: 'over' },
    })
  }
  const last = renews ? refreshExpiresAt : tokenExpiresAt
  if (last && last.getTime() < now.getTime() + ENDS_SOON) {
    const at = last.toISOString()
    return say('expiry', 'warning', `The access ends for good at ${at}.`, { ...again, values: { at, state: 'soon' } })
  }
  return say('expiry', 'ok', `The access is good until ${values.at} and renewed before that.`, { values })
}

/** What was granted against what is needed: as the network says now, else as it said when the account was connected. */
function scopeChecks(network: Network, { grantedScopes }: Patient, asked: Asked, ended: boolean): DoctorCheck[] {
  const told = typeof asked === 'object' && !(asked instanceof NetworkError) ? asked.grantedScopes : null
  const granted = new Set(told ?? grantedScopes)
  const missing = network.scopes.filter(({ scope }) => !granted.has(scope))
  if (missing.length === 0) {
    if (ended) return [waits('scope')]
    return [say('scope', 'ok', told ? 'Every permission is granted.' : 'Every permission was granted.')]
  }
  return missing.map(({ scope, neededFor }) =>
    say(
      'scope',
      neededFor === 'publish' || neededFor === 'connect' ? 'failed' : 'warning',
      `${scope} is not granted: it is needed for ${neededFor}.`,
      {
        fix: 'Connect the account again and grant every permission.',
        act: 'reconnect',
        values: { scope, neededFor },
      },
    ),
  )
}

function callsCheck(limit: number | null, { calls: used, blockedUntil }: Counted, now: Date): DoctorCheck {
  if (limit === null)
    return say('calls', 'ok', 'The network counts no calls by the hour.', { values: { state: 'none' } })
  const values = { used, limit }
  if (blockedUntil && blockedUntil > now) {
    const at = blockedUntil.toISOString()
    return say('calls', 'failed', `The network has us wait until ${at}.`, {
      fix: 'Wait: posts go out by themselves.',
      values: { ...values, at, state: 'blocked' },
    })
  }
  const free = limit - Math.ceil(limit / 10) - used
  if (free > limit / 10) return say('calls', 'ok', `${used} of ${limit} calls of the hour are used.`, { values })
  return say('calls', free <= 0 ? 'failed' : 'warning', `${used} of ${limit} calls of the hour are used.`, {
    fix: 'Wait: posts go out by themselves as calls become free.',
    values,
  })
}

function postsChecks(platform: Platform, asked: Asked, ended: boolean): DoctorCheck[] {
  if (facts[platform].postsPerDay === null) return []
  if (ended) return [waits('posts')]
  if (typeof asked !== 'object' || asked instanceof NetworkError || asked.posts === null) {
    return [say('posts', 'unknown', 'The network does not say how many posts are left today.')]
  }
  if (asked.posts === 'may') return [say('posts', 'ok', 'The account may post.', { values: { state: 'may' } })]
  const { used, limit } = asked.posts
  const outcome = used >= limit ? 'failed' : used >= limit * 0.9 ? 'warning' : 'ok'
  return [
    say('posts', outcome, `${used} of ${limit} posts of the last 24 hours are used.`, {
      fix: outcome === 'ok' ? null : 'Wait until the first of them is a day old.',
      values: { used, limit },
    }),
  ]
}

/** Whether networks can fetch files from here: over https, and at an address that answers. */
async function mediaCheck({ settings }: DoctorPorts): Promise<DoctorCheck> {
  const url = settings.publicUrl()
  const values = { url }
  if (!settings.publicMedia()) {
    return say('media', 'failed', `Networks cannot fetch files from ${url}.`, {
      fix: 'Have the operator set PUBLIC_URL to an address with https.',
      act: 'operator',
      values,
    })
  }
  if (await settings.reachesItself()) return say('media', 'ok', `Files are served at ${url}.`, { values })
  return say('media', 'warning', `Parley does not reach itself at ${url}.`, {
    fix: 'Have the operator look whether the address leads here from outside.',
    act: 'operator',
    values: { ...values, state: 'unreached' },
  })
}
