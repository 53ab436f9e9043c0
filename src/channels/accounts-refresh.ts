import { NetworkError, type Renewal, type Reservation } from '../networks/network.ts'
import { query, sql } from '../core/platform/db.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import { needReconnect, refreshLater, type SealedColumn, tokenPlace } from './accounts.ts'

type RefreshPorts = Pick<Ports, 'networks' | 'crypto'>
type Renewable = Record<'platform' | 'externalId' | 'accessToken', string> &
  Record<'userToken' | 'refreshToken', string | null>

/** Whether a token can renew those of the account: a refresh token, or the token of the person behind it. */
const renews = sql`(refresh_token is not null or user_token is not null)`

/** Milliseconds after which a process that renews is considered dead. */
const LEASE = 120_000

interface RefreshJob {
  accountId: string
  /** When the first of the renewals that failed in a row was. */
  failingSince?: string | undefined
}

/** How many milliseconds before its end a token that cannot be renewed is given up, so that a person has time. */
const GIVEN_UP = 7 * 24 * 3_600_000
/** How long renewals must have failed before that, in milliseconds. */
const FAILING = 24 * 3_600_000
/** Milliseconds after which a failed renewal is tried again. */
const AGAIN = 3_600_000

/**
 * Renews the tokens of an account within the calls of its person, as a job. If another process is renewing them, calls
 * are missing or the network fails, the job runs again later. Renewals that fail for a day mark the account a week
 * before its token ends, so that people connect it again in time.
 */
export async function refreshAccount(
  scope: Scope,
  ports: RefreshPorts & Pick<Ports, 'budget'>,
  { accountId, failingSince }: RefreshJob,
): Promise<void> {
  const [[account]] = await scope.read(query<{ platform: string; userKey: string }>`
    select platform, network_user as user_key from social_account
    where workspace_id = ${scope.workspaceId} and id = ${accountId} and status = 'CONNECTED' and ${renews}`)
  if (!account) return
  const { app, platform, renewCost } = ports.networks.get(account.platform)
  const reserved = await ports.budget.reserve({ app, userKey: account.userKey }, renewCost, 'begin', platform)
  if ('until' in reserved) return renewAt(scope, { accountId, failingSince }, reserved.until)
  try {
    if (!(await renew(scope, ports, accountId, { reservation: reserved.reservation })))
      await afterLease(scope, { accountId, failingSince })
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.warn({ err: error, accountId }, 'a token was not renewed')
    await afterFailure(scope, accountId, failingSince ? new Date(failingSince) : scope.now())
  } finally {
    await reserved.release()
  }
}

const renewAt = (scope: Scope, { accountId, failingSince }: RefreshJob, runAt: Date) =>
  scope.transaction(async (tx) => {
    const data = { accountId, ...(failingSince !== undefined && { failingSince }) }
    tx.enqueue('token-refresh', data, { key: `token:${accountId}`, runAt })
  })

/** Tries again later, or marks the account if its token ends soon and renewals have failed for long. */
async function afterFailure(scope: Scope, accountId: string, since: Date): Promise<void> {
  const [[account]] = await scope.read(query<{ token: string; endsAt: Date | null }>`
    select access_token as token, case when refresh_token is null then token_expires_at else refresh_expires_at end as ends_at
    from social_account where workspace_id = ${scope.workspaceId} and id = ${accountId} and status = 'CONNECTED'`)
  if (!account) return
  const now = scope.now().getTime()
  const isLong = now - since.getTime() >= FAILING
  const endsSoon = account.endsAt !== null && account.endsAt.getTime() - now < GIVEN_UP
  if (isLong && endsSoon) await scope.transaction((tx) => needReconnect(tx, accountId, account.token))
  else await renewAt(scope, { accountId, failingSince: since.toISOString() }, new Date(now + AGAIN))
}

/** Calls to reserve for `withToken`: a call may find that the token has expired, and is then repeated. */
export const TOKEN_CALL = 1

/** The account whose token a call needs, with the token sealed as it was read. */
export interface Holder {
  accountId: string
  accessToken: string | null
}

/**
 * Makes a call with an account's token. If the network refuses the token and a refresh token can renew it, the call is
 * made once more with the new token, which `holder` then has. A second refusal throws, and the caller decides what it
 * means for the account.
 */
export async function withToken<T>(
  scope: Scope,
  ports: RefreshPorts,
  holder: Holder,
  call: (accessToken: string) => Promise<T>,
): Promise<T> {
  const place = tokenPlace(scope.workspaceId, holder.accountId, 'access_token')
  const opened = () => (holder.accessToken === null ? '' : ports.crypto.open(holder.accessToken, place))
  try {
    return await call(opened())
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind !== 'AUTH') throw error
    const next = await renewRefused(scope, ports, holder)
    if (next === null) throw error
    if (next === 'later') throw new NetworkError('transient', 'Access to the account is being renewed.')
    holder.accessToken = next.token
    return call(opened())
  }
}

/** The token that follows a refused one, sealed; `later` if it is not known yet, null if the account needs a person. */
export async function renewRefused(
  scope: Scope,
  ports: RefreshPorts,
  { accountId, accessToken }: Holder,
): Promise<{ token: string } | 'later' | null> {
  const stored = async () => {
    const [[account]] = await scope.read(query<{ accessToken: string }>`select access_token from social_account
      where workspace_id = ${scope.workspaceId} and id = ${accountId} and status = 'CONNECTED' and refresh_token is not null`)
    return account?.accessToken
  }
  /** A change of the encryption key seals the same token again, so the sealed texts may differ. */
  const isRefused = (token: string) => {
    const place = tokenPlace(scope.workspaceId, accountId, 'access_token')
    return accessToken !== null && ports.crypto.open(token, place) === ports.crypto.open(accessToken, place)
  }
  const before = await stored()
  if (before === undefined) return null
  if (!isRefused(before)) return { token: before }
  try {
    // Only a network that counts no calls has refresh tokens.
    await renew(scope, ports, accountId, { refused: before })
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.warn({ err: error, accountId }, 'a refused token could not be renewed')
  }
  const after = await stored()
  if (after === undefined) return null
  return isRefused(after) ? 'later' : { token: after }
}

/**
 * Renews the tokens of an account, one process at a time and each refresh token once. The new tokens are saved
 * together. If they are lost on the way, the network refuses the next try, and the account must be connected again.
 * `refused` is the only token to replace. Returns false if there is nothing to renew, another process is renewing, or the
 * account got other tokens meanwhile.
 */
async function renew(
  scope: Scope,
  { networks, crypto }: RefreshPorts,
  accountId: string,
  { refused = null, reservation }: { refused?: string | null; reservation?: Reservation },
): Promise<boolean> {
  const until = new Date(scope.now().getTime() + LEASE)
  const which = refused === null ? renews : sql`refresh_token is not null and access_token = ${refused}`
  const [account] = await scope.write(query<Renewable>`
    update social_account set refreshing_until = ${until}
    where workspace_id = ${scope.workspaceId} and id = ${accountId} and status = 'CONNECTED' and ${which}
      and (refreshing_until is null or refreshing_until < ${scope.now()})
    returning platform, external_id, access_token, user_token, refresh_token`)
  if (!account) return false
  const place = (column: SealedColumn) => tokenPlace(scope.workspaceId, accountId, column)
  const opened = (column: SealedColumn, sealed: string | null) =>
    sealed === null ? null : crypto.open(sealed, place(column))
  const sealed = (column: SealedColumn, token: string | null) =>
    token === null ? null : crypto.seal(token, place(column))
  let renewal: Renewal
  try {
    renewal = await networks.get(account.platform).refresh(
      {
        externalId: account.externalId,
        userToken: opened('user_token', account.userToken),
        refreshToken: opened('refresh_token', account.refreshToken),
      },
      reservation,
    )
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    await release(scope, accountId, until, error.kind === 'AUTH' ? account.accessToken : null)
    if (error.kind !== 'AUTH') throw error
    scope.log.warn({ err: error, accountId }, 'the network refused to renew the token')
    return true
  }
  const { accessToken, userToken, tokenExpiresAt, refreshToken, refreshExpiresAt } = renewal
  return scope.transaction(async (tx) => {
    const [mine] = await tx.run(query`update social_account set access_token = ${sealed('access_token', accessToken)},
          user_token = ${sealed('user_token', userToken)}, refresh_token = ${sealed('refresh_token', refreshToken)},
          token_expires_at = ${tokenExpiresAt}, refresh_expires_at = ${refreshExpiresAt}, refreshing_until = null,
          updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${accountId} and refreshing_until = ${until} returning id`)
    // A person has connected the account again meanwhile, or another process renews it. Those tokens are newer.
    if (!mine) return false
    tx.record({ type: 'account.token_renewed', subject: { accountId } })
    if (tokenExpiresAt) refreshLater(tx, accountId, tokenExpiresAt)
    return true
  })
}

/**
 * The process that is renewing may be dead, so the job runs again when its lease ends. Otherwise the chain of renewals
 * would break.
 */
async function afterLease(scope: Scope, job: RefreshJob): Promise<void> {
  const [[taken]] = await scope.read(query<{ until: Date }>`select refreshing_until as until from social_account
    where workspace_id = ${scope.workspaceId} and id = ${job.accountId} and status = 'CONNECTED' and ${renews}
      and refreshing_until is not null`)
  if (taken) await renewAt(scope, job, new Date(taken.until.getTime() + 1))
}

async function release(scope: Scope, accountId: string, until: Date, dead: string | null): Promise<void> {
  await scope.transaction(async (tx) => {
    const [mine] = await tx.run(query`update social_account set refreshing_until = null
      where workspace_id = ${tx.workspaceId} and id = ${accountId} and refreshing_until = ${until} returning id`)
    if (mine && dead) await needReconnect(tx, accountId, dead)
  })
}
