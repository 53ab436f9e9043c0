import { AppError } from '../core/errors.ts'
import { query } from '../core/platform/db.ts'
import type { Scope } from '../core/platform/scope.ts'
import { NetworkError } from '../networks/network.ts'
import type { Ports } from '../services.ts'
import { withToken } from './accounts-refresh.ts'

/**
 * Has the network send the events of an account here, as a job that is repeated until the network agrees. A refusal for good is
 * what the doctor then says.
 */
export async function subscribeAccount(
  scope: Scope,
  ports: Pick<Ports, 'networks' | 'crypto' | 'budget' | 'settings'>,
  accountId: string,
): Promise<void> {
  const [[account]] = await scope.read(
    query<{ platform: string; externalId: string; networkUser: string; accessToken: string | null }>`
      select platform, external_id, network_user, access_token from social_account
      where workspace_id = ${scope.workspaceId} and id = ${accountId} and status = 'CONNECTED'`,
  )
  if (!account) return
  const network = ports.networks.get(account.platform)
  if (!network.inbox) return
  const { inbox, app, platform } = network
  const who = { app, userKey: account.networkUser }
  const reserved = await ports.budget.reserve(who, inbox.subscribeCost, 'begin', platform)
  if ('until' in reserved) throw new AppError('unavailable', 'The network allows no more calls at this moment.')
  const { reservation } = reserved
  try {
    const callbackUrl = `${ports.settings.publicUrl()}/webhooks/${platform}`
    await withToken(scope, ports, { accountId, accessToken: account.accessToken }, (accessToken) =>
      inbox.subscribe({ account: { externalId: account.externalId, accessToken }, reservation }, callbackUrl),
    )
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind === 'TRANSIENT' || error.kind === 'RATE_LIMIT') throw error
    scope.log.warn({ err: error, accountId }, 'the network does not send the events of an account')
  } finally {
    await reserved.release()
  }
}
