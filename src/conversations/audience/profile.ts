import { withToken } from '../../channels/accounts-refresh.ts'
import { AppError } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { NetworkError } from '../../networks/network.ts'
import type { Services } from '../../services.ts'
import { giveName, personPlace } from './customers.ts'

type ProfilePorts = Pick<Services, 'networks' | 'crypto' | 'budget' | 'settings'>

interface Unnamed {
  accountId: string
  value: string
  platform: string
  externalId: string
  networkUser: string
  accessToken: string | null
}

/** Asks the network for a person's name, because direct messages come without one. */
export async function nameCustomer(scope: Scope, ports: ProfilePorts, identityId: string): Promise<void> {
  const [[found]] = await scope.read(query<Unnamed>`select i.account_id, i.value, a.platform, a.external_id,
      a.network_user, a.access_token from audience_identity i
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    join social_account a on a.workspace_id = i.workspace_id and a.id = i.account_id
    where i.workspace_id = ${scope.workspaceId} and i.id = ${identityId} and n.name = '' and n.erased_at is null
      and a.status = 'CONNECTED'`)
  if (!found) return
  const network = ports.networks.get(found.platform)
  const { inbox } = network
  if (!inbox) return
  const who = { app: network.app, userKey: found.networkUser }
  const reserved = await ports.budget.reserve(who, 1, 'conversation_read', network.platform)
  if ('until' in reserved)
    throw new AppError('unavailable', 'The network’s hourly request limit has been reached. Try again later.')
  const { reservation } = reserved
  const personId = ports.crypto.open(found.value, personPlace(scope.workspaceId, identityId))
  try {
    const holder = { accountId: found.accountId, accessToken: found.accessToken }
    const { name, username } = await withToken(scope, ports, holder, (accessToken) =>
      inbox.profile({ account: { externalId: found.externalId, accessToken }, reservation }, personId),
    )
    if (name !== '') await keepName(scope, { identityId, name, username })
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind === 'TRANSIENT' || error.kind === 'RATE_LIMIT') throw error
    scope.log.info({ err: error, identityId }, 'the network did not return a person’s name')
  } finally {
    await reserved.release()
  }
}

interface Named {
  identityId: string
  name: string
  username: string | null
}

const keepName = (scope: Scope, { identityId, name, username }: Named) =>
  scope.transaction(async (tx) => {
    if (!(await giveName(tx, identityId, name))) return
    await tx.run(query`update audience_identity set username = coalesce(username, ${username})
      where workspace_id = ${tx.workspaceId} and id = ${identityId} and value <> ''`)
    const threads = await tx.run(query<{ id: string }>`select id from thread where workspace_id = ${tx.workspaceId}
      and identity_id = ${identityId}`)
    for (const { id } of threads) tx.emit({ kind: 'conversation', id })
  })
