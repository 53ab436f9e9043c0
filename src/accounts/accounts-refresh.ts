import { NetworkError, type Renewal } from '../networks/network.ts'
import { query, sql } from '../platform/db.ts'
import type { Scope } from '../platform/scope.ts'
import type { Ports } from '../services.ts'
import { needReconnect, refreshLater, tokenPlace } from './accounts.ts'

type SealedColumn = 'access_token' | 'user_token' | 'refresh_token'
type Renewable = Record<'platform' | 'externalId' | 'accessToken', string> &
  Record<'userToken' | 'refreshToken', string | null>

/** Something renews its tokens: a refresh token, or the token of the person behind it. */
const renews = sql`(refresh_token is not null or user_token is not null)`

/** Whoever renews has so long; then it is thought dead. */
const LEASE = 120_000

/**
 * Renews the tokens of an account: one at a time, each refresh token once. The new ones are saved together; when they were
 * lost on the way the next try is refused by the network, and the account must be connected again.
 */
export async function refreshAccount(
  scope: Scope,
  { networks, crypto }: Pick<Ports, 'networks' | 'crypto'>,
  { accountId }: { accountId: string },
): Promise<void> {
  const until = new Date(scope.now().getTime() + LEASE)
  const [account] = await scope.write(query<Renewable>`
    update social_account set refreshing_until = ${until}
    where workspace_id = ${scope.workspaceId} and id = ${accountId} and status = 'CONNECTED' and ${renews}
      and (refreshing_until is null or refreshing_until < ${scope.now()})
    returning platform, external_id, access_token, user_token, refresh_token`)
  if (!account) return afterLease(scope, accountId)
  const place = (column: SealedColumn) => tokenPlace(scope.workspaceId, accountId, column)
  const opened = (column: SealedColumn, sealed: string | null) =>
    sealed === null ? null : crypto.open(sealed, place(column))
  const sealed = (column: SealedColumn, token: string | null) =>
    token === null ? null : crypto.seal(token, place(column))
  let renewal: Renewal
  try {
    renewal = await networks.get(account.platform).refresh({
      externalId: account.externalId,
      userToken: opened('user_token', account.userToken),
      refreshToken: opened('refresh_token', account.refreshToken),
    })
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    await release(scope, accountId, until, error.kind === 'AUTH' ? account.accessToken : null)
    if (error.kind !== 'AUTH') throw error
    scope.log.warn({ err: error, accountId }, 'the network renews this token no more')
    return
  }
  const { accessToken, userToken, tokenExpiresAt, refreshToken, refreshExpiresAt } = renewal
  await scope.transaction(async (tx) => {
    await tx.one(
      query`update social_account set access_token = ${sealed('access_token', accessToken)},
          user_token = ${sealed('user_token', userToken)}, refresh_token = ${sealed('refresh_token', refreshToken)},
          token_expires_at = ${tokenExpiresAt}, refresh_expires_at = ${refreshExpiresAt}, refreshing_until = null,
          updated_at = ${tx.now}
        where workspace_id = ${tx.workspaceId} and id = ${accountId} and refreshing_until = ${until} returning id`,
      'invalid_state',
    )
    tx.audit('account.token_renewed', { accountId })
    tx.emit({ kind: 'account', id: accountId })
    if (tokenExpiresAt) refreshLater(tx, accountId, tokenExpiresAt)
  })
}

/** Whoever is renewing now may be dead: the same job comes again when its lease is over, else the chain of renewals ends. */
async function afterLease(scope: Scope, accountId: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const [taken] = await tx.run(query<{ until: Date }>`select refreshing_until as until from social_account
      where workspace_id = ${tx.workspaceId} and id = ${accountId} and status = 'CONNECTED' and ${renews}
        and refreshing_until is not null`)
    if (taken)
      tx.enqueue(
        'token-refresh',
        { accountId },
        { key: `token:${accountId}`, runAt: new Date(taken.until.getTime() + 1) },
      )
  })
}

async function release(scope: Scope, accountId: string, until: Date, dead: string | null): Promise<void> {
  await scope.transaction(async (tx) => {
    const [mine] = await tx.run(query`update social_account set refreshing_until = null
      where workspace_id = ${tx.workspaceId} and id = ${accountId} and refreshing_until = ${until} returning id`)
    if (mine && dead) await needReconnect(tx, accountId, dead)
  })
}
