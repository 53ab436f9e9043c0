import { needReconnect } from '../../channels/accounts.ts'
import { withToken } from '../../channels/accounts-refresh.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Platform } from '../../networks/api.ts'
import type { DiscoveredAccount } from '../../networks/network.ts'
import { NetworkError } from '../../networks/network.ts'
import type { Services } from '../../services.ts'

export type LookUpPorts = Pick<Services, 'networks' | 'crypto' | 'budget'>

/** The account of ours that asks. */
export interface LookUpAccount {
  accountId: string
  platform: Platform
  externalId: string
  networkUser: string
  accessToken: string | null
}

export interface AccountState {
  status: string
  /** Null: not known. */
  grantedScopes: string[] | null
}

/** Whether an account is connected with the permission to look others up. */
export const mayLookUp = ({ status, grantedScopes }: AccountState, { scope }: { scope: string }): boolean =>
  status === 'CONNECTED' && (grantedScopes === null || grantedScopes.includes(scope))

/** What a network says about an account by its name. `until`: there are no calls before. */
export type LookUp = { account: DiscoveredAccount } | 'not_discoverable' | { until: Date } | { error: NetworkError }

/** A call may find that the token has expired, and is then made again. */
const TOKEN_CALL = 1

/** Asks the network of an account of ours for an account of somebody else. Networks without an official way show none. */
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
