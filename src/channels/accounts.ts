import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { AppError, type Code, invalid } from '../core/errors.ts'
import { admit, type GateFacts, type Refusal } from '../core/http/rules.ts'
import { type Connection, type Network, NetworkError } from '../networks/network.ts'
import { newSecret, type CipherPlace } from '../core/platform/crypto.ts'
import { page, type PageRequest } from '../core/platform/cursor.ts'
import { keepState, takeState } from '../team/identity/oauth-state.ts'
import { query, sql, whole } from '../core/platform/db.ts'
import { withQuery } from '../core/platform/own-path.ts'
import type { Jobs } from '../core/platform/job-names.ts'
import { readOnlyFaults, refuseStale } from '../core/platform/patch.ts'
import type { DomainEvent } from '../core/platform/record.ts'
import type { Scopes, Scope, Tx } from '../core/platform/scope.ts'
import { giveBack, useQuota } from '../team/plans/plans.ts'
import type { Ports } from '../services.ts'
import { type AccountPatch, type SocialAccount, startConnection } from './api.ts'

/** The columns with the sealed tokens of an account. */
export type SealedColumn = 'access_token' | 'user_token' | 'refresh_token'

/** The place for which a token of an account is sealed. */
export const tokenPlace = (workspaceId: string, rowId: string, column: SealedColumn): CipherPlace => ({
  table: 'social_account',
  column,
  workspaceId,
  rowId,
})

/** An account as the API returns it. The network's list of needed permissions shows which ones its consent lacks. */
function accountShape(networks: readonly Network[]) {
  const needed = JSON.stringify(
    networks.flatMap(({ platform, scopes }) => scopes.map(({ scope, neededFor }) => ({ platform, scope, neededFor }))),
  )
  return sql`json_build_object('id', a.id, 'workspaceId', a.workspace_id, 'platform', a.platform, 'externalId', a.external_id,
    'name', a.name, 'username', a.username, 'avatarUrl', a.avatar_url, 'profileUrl', a.profile_url, 'status', a.status,
    'paused', a.paused_at is not null, 'tokenExpiresAt', iso(a.token_expires_at), 'grantedScopes', a.granted_scopes,
    'missingScopes', coalesce((select json_agg(json_build_object('scope', n ->> 'scope', 'neededFor', n ->> 'neededFor'))
      from jsonb_array_elements(${needed}::jsonb) n
      where n ->> 'platform' = a.platform and not (n ->> 'scope') = any (a.granted_scopes)), '[]'),
    'connectedAt', iso(a.connected_at), 'version', a.version, 'createdAt', iso(a.created_at), 'updatedAt', iso(a.updated_at))`
}

/** The accounts that match a condition on `a`, for callers that read them together with other rows. */
export const accountsWhere = ({ networks }: Pick<Ports, 'networks'>, condition: ReturnType<typeof sql>) =>
  whole<{ json: SocialAccount }>(
    sql`select ${accountShape(networks.all())} as json from social_account a where ${condition} order by a.id desc`,
  )

interface AccountFilter extends PageRequest {
  status?: SocialAccount['status'] | undefined
}

/** Lists a page of the accounts that are not disconnected, or of those with one status, newest first. */
export async function listAccounts(
  scope: Scope,
  ports: Pick<Ports, 'networks'>,
  { status, ...request }: AccountFilter,
) {
  const accounts = page(sql`a.id`, request)
  const wanted = sql`a.id in (select a.id from social_account a where a.workspace_id = ${scope.workspaceId}
    and ${status ? sql`a.status = ${status}` : sql`a.status <> 'DISCONNECTED'`} and ${accounts.rows})`
  const [rows] = await scope.read(accountsWhere(ports, wanted))
  return accounts.of(rows.map(({ json }) => json))
}

/** Reads the accounts with these ids within a transaction, whatever their status. */
export async function accountsById(
  tx: Tx,
  ports: Pick<Ports, 'networks'>,
  ids: readonly string[],
): Promise<SocialAccount[]> {
  if (ids.length === 0) return []
  const rows = await tx.run(
    accountsWhere(ports, sql`a.workspace_id = ${tx.workspaceId} and a.id = any (${ids}::uuid[])`),
  )
  return rows.map((row) => row.json)
}

/** Reads the accounts that are not disconnected, within a transaction. */
export async function connectedAccounts(tx: Tx, ports: Pick<Ports, 'networks'>): Promise<SocialAccount[]> {
  const rows = await tx.run(
    accountsWhere(ports, sql`a.workspace_id = ${tx.workspaceId} and a.status <> 'DISCONNECTED'`),
  )
  return rows.map((row) => row.json)
}

/** Pauses or resumes an account. A paused account holds its posts; a job releases those of a resumed one. */
export async function updateAccount(
  scope: Scope,
  ports: Pick<Ports, 'networks'>,
  id: string,
  patch: AccountPatch,
  ifMatch?: number,
): Promise<SocialAccount> {
  return scope.transaction(async (tx) => {
    await tx.one(
      query`select from social_account where workspace_id = ${tx.workspaceId} and id = ${id} and status <> 'DISCONNECTED' for update`,
      'not_found',
    )
    const [current] = await accountsById(tx, ports, [id])
    if (!current) throw new AppError('not_found')
    refuseStale(current.version, ifMatch)
    const faults = readOnlyFaults(patch, current, ['paused'])
    if (faults.length > 0) throw invalid(...faults)
    if (patch.paused === undefined || patch.paused === current.paused) return current
    await tx.one(
      query`update social_account set paused_at = ${patch.paused ? tx.now : null}, version = version + 1, updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${current.version} returning id`,
      'stale_version',
    )
    tx.record({
      type: patch.paused ? 'account.paused' : 'account.resumed',
      subject: { accountId: id },
    } satisfies AccountEvent)
    const [saved] = await accountsById(tx, ports, [id])
    return saved as SocialAccount
  })
}

/** Something happened to one account. */
export interface AccountEvent extends DomainEvent {
  type: `account.${string}`
  subject: { accountId: string }
}

// ---- connecting

export interface ConnectionStart {
  authorizationUrl: string
  state: string
  /** For this browser alone, since only it may return. */
  browserSecret: string
}

/** Returns the address of the network's consent page: for one person, workspace and browser, for ten minutes, once. */
export async function beginConnection(
  scope: Scope,
  { networks, settings }: Pick<Ports, 'networks' | 'settings'>,
  input: { provider: string; facts: GateFacts; userId: string; redirect: string; origin: string },
): Promise<ConnectionStart> {
  const network = networks.get(input.provider)
  const refusal = await refusalOf(scope, network, input.facts)
  if (refusal) {
    const { code, ...more } = refusal
    throw new AppError(code, undefined, more)
  }
  if (!network.configured)
    throw new AppError(
      'provider_not_configured',
      `${network.platform} isn’t set up. Ask the Parley administrator to configure it.`,
      { retryAfter: 3600 },
    )
  const state = newSecret()
  const browserSecret = newSecret()
  const { userId, redirect } = input
  const provider = network.platform
  await keepState(scope, { state, browserSecret, provider, purpose: 'connect', userId, redirect })
  return {
    authorizationUrl: network.authorizeUrl({
      state,
      redirectUri: callbackUrl(settings, network.platform, input.origin),
      verifier: verifierOf(browserSecret),
    }),
    state,
    browserSecret,
  }
}

/**
 * Returns why a person may not connect, or null. A full quota is no reason while an account must be reconnected,
 * because its token is dead or its consent gave too little: that takes no room, and saving refuses what does.
 */
async function refusalOf(scope: Scope, { platform, scopes }: Network, known: GateFacts): Promise<Refusal | null> {
  const refusal = admit({ ...startConnection.config.gate, quota: 'social_accounts' }, known)
  if (refusal?.code !== 'quota_exceeded') return refusal
  const needed = scopes.map((each) => each.scope)
  const [again] = await scope.read(query<{ id: string }>`select id from social_account
    where workspace_id = ${scope.workspaceId} and platform = ${platform} and status <> 'DISCONNECTED'
      and (status = 'RECONNECT_NEEDED' or not granted_scopes @> ${needed}::text[]) limit 1`)
  return again.length > 0 ? null : refusal
}

/** Proves that the browser that brings the code back is the one that left, since only that browser has the secret. */
const verifierOf = (browserSecret: string) => createHash('sha256').update(`verifier ${browserSecret}`).digest('hex')

const callbackUrl = (settings: Ports['settings'], platform: string, origin: string) =>
  settings.callbackUrl(platform) ?? `${origin}/api/v1/auth/oauth/${platform}/callback`

/** The calls that a connection counts in the hourly budget of its user. */
const CONNECT_CALLS = 5

/** The refusals that a person reads after their return. */
const ENDINGS: ReadonlySet<Code> = new Set([
  'quota_exceeded',
  'session_revoked',
  'account_disabled',
  'not_found',
  'role_required',
])

export interface ConnectionResult {
  /** A path of our app, with `connected` or `error`. */
  redirect: string
}

/**
 * Finishes a connection after the consent page: connects the granted accounts, or returns the reason of a failure.
 * The browser is at an address of the API, so a failure of our own returns to the app too, as `internal`.
 */
export async function finishConnection(
  scopes: Pick<Scopes, 'scope'>,
  scope: Scope,
  ports: Pick<Ports, 'networks' | 'settings' | 'crypto' | 'budget'>,
  gateFacts: (userId: string, workspaceId: string) => Promise<GateFacts>,
  input: {
    provider: string
    code: string | undefined
    state: string | undefined
    error: string | undefined
    browserSecret: string | undefined
    origin: string
    requestId: string
  },
): Promise<ConnectionResult> {
  const network = ports.networks.get(input.provider)
  const { state: returned = '', browserSecret = '' } = input
  const secrets = { state: returned, browserSecret }
  const state = await takeState(scope, network.platform, ['connect'], secrets)
  if (!state?.userId || !state.sessionId || !state.workspaceId)
    return { redirect: withQuery('/app', { error: 'link_expired' }) }
  const failed = (error: string) => ({ redirect: withQuery(state.redirect, { error }) })
  if (input.error !== undefined || !input.code) return failed('access_denied')

  const own = scopes.scope(state.workspaceId, {
    kind: 'user',
    userId: state.userId,
    sessionId: state.sessionId,
    standing: { workspaceId: state.workspaceId, roles: ['OWNER', 'ADMIN'], least: 'ADMIN' },
    ip: scope.actor.kind === 'system' ? undefined : scope.actor.ip,
    requestId: input.requestId,
  })
  try {
    // Checked before any call to the network, and again before saving.
    await own.confirm()
    const refusal = await refusalOf(own, network, await gateFacts(state.userId, state.workspaceId))
    if (refusal) return failed(refusal.code)
    const found = await network.connect({
      code: input.code,
      redirectUri: callbackUrl(ports.settings, network.platform, input.origin),
      verifier: verifierOf(input.browserSecret ?? ''),
    })
    if (found.length === 0) return failed('no_account_granted')
    const [first] = found
    // Counted only now, because their user is known only now: a refusal would prevent nothing.
    const who = { app: network.app, userKey: first!.userKey }
    await ports.budget.count(who, CONNECT_CALLS, network.platform)
    await saveConnections(own, ports, network, state.userId, found)
    return { redirect: withQuery(state.redirect, { connected: String(found.length) }) }
  } catch (error) {
    if (error instanceof AppError && ENDINGS.has(error.code)) return failed(error.code)
    if (!(error instanceof NetworkError)) {
      scope.log.error({ err: error }, 'connecting failed')
      return failed('internal')
    }
    scope.log.warn({ err: error, networkCode: error.networkCode }, 'connecting failed')
    return failed(error.kind === 'CONTENT' || error.kind === 'AUTH' ? 'access_denied' : 'network_error')
  }
}

/**
 * Connects or reconnects accounts. An account that was connected before reuses its row. A job releases posts that
 * waited.
 */
async function saveConnections(
  scope: Scope,
  { crypto }: Pick<Ports, 'crypto'>,
  network: Network,
  userId: string,
  found: readonly Connection[],
): Promise<void> {
  await scope.transaction(async (tx) => {
    // Two connections at once would both find an account new, and seal its tokens for two different rows.
    tx.lock(query`select pg_advisory_xact_lock(hashtextextended(${`connections ${tx.workspaceId}`}, 0))`)
    for (const account of found.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))) {
      const [known] = await tx.run(query<{ id: string; status: SocialAccount['status'] }>`
        select id, status from social_account where workspace_id = ${tx.workspaceId} and platform = ${network.platform}
          and external_id = ${account.externalId} for update`)
      const id = known?.id ?? uuidv7()
      if (!known || known.status === 'DISCONNECTED') await useQuota(tx, 'social_accounts', 1)
      const sealed = (column: SealedColumn, token: string | null) =>
        token === null ? null : crypto.seal(token, tokenPlace(tx.workspaceId, id, column))
      await tx.one(
        query`insert into social_account (workspace_id, id, platform, external_id, network_user, name, username, avatar_url,
            profile_url, status, access_token, user_token, token_expires_at, refresh_token, refresh_expires_at, granted_scopes,
            connected_by, connected_at)
          values (${tx.workspaceId}, ${id}, ${network.platform}, ${account.externalId}, ${account.userKey}, ${account.name},
            ${account.username}, ${account.avatarUrl}, ${account.profileUrl}, 'CONNECTED',
            ${sealed('access_token', account.accessToken)}, ${sealed('user_token', account.userToken)},
            ${account.tokenExpiresAt}, ${sealed('refresh_token', account.refreshToken)}, ${account.refreshExpiresAt},
            ${account.grantedScopes}, ${userId}, ${tx.now})
          on conflict (workspace_id, platform, external_id) do update set network_user = excluded.network_user,
            name = excluded.name, username = excluded.username, avatar_url = excluded.avatar_url,
            profile_url = excluded.profile_url, status = 'CONNECTED', access_token = excluded.access_token,
            user_token = excluded.user_token, token_expires_at = excluded.token_expires_at,
            refresh_token = excluded.refresh_token, refresh_expires_at = excluded.refresh_expires_at, refreshing_until = null,
            granted_scopes = excluded.granted_scopes, connected_by = excluded.connected_by,
            connected_at = excluded.connected_at, version = social_account.version + 1, updated_at = ${tx.now}
            where social_account.id = excluded.id
          returning id`,
        'not_found',
      )
      tx.record({
        type: known ? 'account.reconnected' : 'account.connected',
        subject: { accountId: id },
        data: { platform: network.platform },
      } satisfies AccountEvent)
      // Existing posts are read later than what people wait for.
      tx.enqueue(
        'analytics-sync',
        { accountId: id },
        { key: `sync:${id}`, runAt: new Date(tx.now.getTime() + FIRST_SYNC) },
      )
      if (network.inbox) tx.enqueue('webhook-subscription', { accountId: id }, { key: `subscribe:${id}` })
      else if (network.commentCounts) tx.enqueue('inbox-reading', { accountId: id }, { key: `reading:${id}` })
      if (account.tokenExpiresAt && (account.refreshToken ?? account.userToken))
        refreshLater(tx, id, account.tokenExpiresAt)
    }
  })
}

/** Milliseconds after which the posts of a new account are read. */
const FIRST_SYNC = 60_000

/** The share of a token's life after which it is renewed, plus up to a twentieth, which spreads the renewals. */
const RENEWED_AT = 0.75
const JITTER = 0.05
/**
 * The minimum in milliseconds, however short the reported life: a token that expires at once would be renewed
 * endlessly.
 */
const RENEWED_AFTER = 60_000

/** Enqueues the renewal of a token before it expires. A later call for the same account replaces the earlier one. */
export function refreshLater(tx: Tx, accountId: string, expiresAt: Date): void {
  const left = expiresAt.getTime() - tx.now.getTime()
  const runAt = new Date(tx.now.getTime() + Math.max(RENEWED_AFTER, left * (RENEWED_AT + Math.random() * JITTER)))
  tx.enqueue('token-refresh', { accountId }, { key: `token:${accountId}`, runAt })
}

/** The network has refused the token of an account. */
export interface ReconnectNeeded extends AccountEvent {
  type: 'account.reconnect_needed'
  context: { name: string; platform: string }
}

/**
 * Marks an account after the network has refused its token `used`, sealed as it was read. Its posts wait, and only the
 * first caller to notice notifies people. Returns whether the account waits for a connection; false if it has another
 * token by now, about which the refusal says nothing.
 */
export async function needReconnect(tx: Tx, accountId: string, used: string | null): Promise<boolean> {
  const [changed] = await tx.run(query<{
    name: string
    platform: string
  }>`update social_account set status = 'RECONNECT_NEEDED', version = version + 1, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = ${accountId} and status = 'CONNECTED' and access_token = ${used}
    returning name, platform`)
  if (!changed) {
    const marked =
      await tx.run(query`select from social_account where workspace_id = ${tx.workspaceId} and id = ${accountId}
      and status = 'RECONNECT_NEEDED' and access_token = ${used}`)
    return marked.length > 0
  }
  tx.record({
    type: 'account.reconnect_needed',
    subject: { accountId },
    context: changed,
  } satisfies ReconnectNeeded)
  return true
}

/**
 * Ends pending work for an account that is about to be disconnected, or throws what prevents it. Passed in by app.ts
 * from publishing.
 */
export type ReleaseAccount = (tx: Tx, accountId: string, confirmed: boolean) => Promise<void>

/**
 * Disconnects an account and ends its pending work in one transaction. Throws `not_found`, and the errors of `release`.
 */
export async function disconnectAccount(
  scope: Scope,
  id: string,
  { confirmed, release }: { confirmed: boolean; release: ReleaseAccount },
): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.one(
      query`select from social_account where workspace_id = ${tx.workspaceId} and id = ${id} and status <> 'DISCONNECTED' for update`,
      'not_found',
    )
    await release(tx, id, confirmed)
    await eraseAccount(tx, id)
  })
}

/** Erases an account's tokens and gives back its place in the plan. The row and its history stay. */
async function eraseAccount(tx: Tx, id: string): Promise<void> {
  const old = await tx.one(
    query<{ platform: string; externalId: string; networkUser: string; accessToken: string | null }>`
      with old as (select * from social_account where workspace_id = ${tx.workspaceId} and id = ${id})
      update social_account a set status = 'DISCONNECTED', access_token = null, user_token = null, token_expires_at = null,
        refresh_token = null, refresh_expires_at = null, refreshing_until = null,
        paused_at = null, granted_scopes = '{}', version = a.version + 1, updated_at = ${tx.now}
      from old where a.workspace_id = old.workspace_id and a.id = old.id and a.status <> 'DISCONNECTED'
      returning old.platform, old.external_id, old.network_user, old.access_token`,
    'not_found',
  )
  await giveBack(tx, 'social_accounts', 1)
  if (old.accessToken) {
    tx.enqueue('account-revocation', {
      accountId: id,
      platform: old.platform,
      externalId: old.externalId,
      userKey: old.networkUser,
      sealedToken: old.accessToken,
    })
  }
  tx.record({ type: 'account.disconnected', subject: { accountId: id } })
}

/**
 * Revokes our permission at the network, also for an account whose row was erased with its workspace. The permission
 * stays if a workspace uses the account, because a network may end it for all of them. A permanent refusal ends the
 * job, since the token is erased here anyway.
 */
export async function revokeAccount(
  scope: Scope,
  scopes: Pick<Scopes, 'ask'>,
  { networks, crypto, budget }: Pick<Ports, 'networks' | 'crypto' | 'budget'>,
  job: Jobs['account-revocation'],
): Promise<void> {
  const network = networks.get(job.platform)
  const accessToken = crypto.open(job.sealedToken, tokenPlace(scope.workspaceId, job.accountId, 'access_token'))
  const used = await scopes.ask(
    'inbox',
    query`select from social_account where platform = ${job.platform} and external_id = ${job.externalId}
      and status in ('CONNECTED', 'RECONNECT_NEEDED') limit 1`,
  )
  if (used.length > 0) return
  const who = { app: network.app, userKey: job.userKey }
  const reserved = await budget.reserve(who, 1, 'finish', network.platform)
  if ('until' in reserved) throw new AppError('unavailable', 'The network’s request limit is reached. Try again later.')
  try {
    await network.revoke({ externalId: job.externalId, accessToken }, reserved.reservation)
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind === 'TRANSIENT' || error.kind === 'RATE_LIMIT') throw error
    scope.log.warn({ err: error, accountId: job.accountId }, 'the permission could not be taken back')
  }
}
