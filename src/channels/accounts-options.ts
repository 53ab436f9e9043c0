import { AppError } from '../core/errors.ts'
import { NetworkError } from '../networks/network.ts'
import { query } from '../core/platform/db.ts'
import type { Scope } from '../core/platform/scope.ts'
import type { Ports } from '../services.ts'
import { needReconnect } from './accounts.ts'
import { TOKEN_CALL, withToken } from './accounts-refresh.ts'
import type { PostingOptions } from './api.ts'
import type { Platform } from '../networks/api.ts'

/**
 * The options for a post on an account, as its network reports them. Throws `not_found` for a network without such
 * options, `invalid_state` for an account that is not connected, `unavailable` when no calls are left, and
 * `network_error` when the network fails.
 */
export async function getPostingOptions(
  scope: Scope,
  ports: Pick<Ports, 'networks' | 'crypto' | 'budget'>,
  id: string,
): Promise<PostingOptions> {
  const [[account]] = await scope.read(query<{
    platform: Platform
    status: string
    networkUser: string
    externalId: string
    accessToken: string | null
  }>`select platform, status, network_user, external_id, access_token from social_account
    where workspace_id = ${scope.workspaceId} and id = ${id}`)
  const network = account && ports.networks.get(account.platform)
  if (!account || !network?.postingOptions) throw new AppError('not_found')
  if (account.status !== 'CONNECTED' || account.accessToken === null) {
    throw new AppError('invalid_state', 'Parley no longer has access to this account. Reconnect it first.', {
      current: account.status,
      allowed: [],
    })
  }
  const who = { app: network.app, userKey: account.networkUser }
  const reserved = await ports.budget.reserve(who, 1 + TOKEN_CALL, 'begin', account.platform)
  if ('until' in reserved) throw new AppError('unavailable', undefined, { retryAfter: 60 })
  const { postingOptions } = network
  const holder = { accountId: id, accessToken: account.accessToken }
  try {
    return await withToken(scope, ports, holder, (accessToken) =>
      postingOptions({ externalId: account.externalId, accessToken }, reserved.reservation),
    )
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    scope.log.warn({ err: error, accountId: id }, 'the options of an account are not known')
    if (error.kind === 'AUTH') await scope.transaction((tx) => needReconnect(tx, id, holder.accessToken))
    throw new AppError('network_error', error.message)
  } finally {
    await reserved.release()
  }
}
