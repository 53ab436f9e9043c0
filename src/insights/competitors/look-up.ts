import { needReconnect } from '../../channels/accounts.ts'
import { TOKEN_CALL, withToken } from '../../channels/accounts-refresh.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import type { DiscoveredAccount } from '../../networks/network.ts'
import { NetworkError } from '../../networks/network.ts'
import type { Services } from '../../services.ts'

export type LookUpPorts = Pick<Services, 'networks' | 'crypto' | 'budget'>

/** The account of ours that makes the lookup. */
export interface LookUpAccount {
  accountId: string
  platform: Platform
  externalId: string
  networkUser: string
  accessToken: string | null
}

export interface AccountState {
  status: string
  /** Null means unknown. */
  grantedScopes: string[] | null
}

/** Whether an account is connected with the permission to look up others. */
export const mayLookUp = ({ status, grantedScopes }: AccountState, { scope }: { scope: string }): boolean =>
  status === 'CONNECTED' && (grantedScopes === null || grantedScopes.includes(scope))

/** The result of looking up an account by its name. `until` is when there are calls again. */
export type LookUp = { account: DiscoveredAccount } | 'not_discoverable' | { until: Date } | { error: NetworkError }

/** Looks up someone else's account through an account of ours. Networks without an official way show none. */
export async function lookUp(
  scope: Scope,
  ports: LookUpPorts,
  asking: LookUpAccount,
  username: string,
): Promise<LookUp> {
  const { accountId, platform, externalId, networkUser, accessToken } = asking
  const { app, discovery } = ports.networks.get(platform)
  if (!discovery) return 'not_discoverable'
  const who = { app, userKey: networkUser }
  const reserved = await ports.budget.reserve(who, discovery.cost + TOKEN_CALL, 'metric_read', platform)
  if ('until' in reserved) return reserved
  const { reservation, release } = reserved
  const holder = { accountId, accessToken }
  try {
    const found = await withToken(scope, ports, holder, (token) =>
      discovery.find({ account: { externalId, accessToken: token }, reservation }, username),
    )
    return found ? { account: found } : 'not_discoverable'
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    if (error.kind === 'AUTH') await scope.transaction((tx) => needReconnect(tx, accountId, holder.accessToken))
    return { error }
  } finally {
    await release()
  }
}
