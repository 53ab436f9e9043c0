import { AppError } from '../core/errors.ts'
import { query } from '../core/platform/db.ts'
import type { Scope, Scopes } from '../core/platform/scope.ts'
import { type Inbox, NetworkError } from '../networks/network.ts'
import type { Ports } from '../services.ts'
import { withToken } from './accounts-refresh.ts'

type SubscriptionPorts = Pick<Ports, 'networks' | 'crypto' | 'budget' | 'settings'>

/** Milliseconds between checks of a subscription, since a network may drop one silently. */
const CHECKED_EVERY = 24 * 3_600_000

/** The address to which a network sends the events of its accounts. */
export const webhookAddress = ({ settings }: Pick<SubscriptionPorts, 'settings'>, platform: string) =>
  `${settings.publicUrl()}/webhooks/${platform}`

/**
 * Makes the network send the events of an account here, as a job that is repeated until the network agrees. Messages
 * from before are read afterwards. The doctor reports a permanent refusal.
 */
export async function subscribeAccount(scope: Scope, ports: SubscriptionPorts, accountId: string): Promise<void> {
  const [[account]] = await scope.read(
    query<{
      platform: string
      externalId: string
      networkUser: string
      accessToken: string | null
      url: string | null
    }>`select a.platform, a.external_id, a.network_user, a.access_token, s.url from social_account a
      left join webhook_subscription s on s.workspace_id = a.workspace_id and s.account_id = a.id
      where a.workspace_id = ${scope.workspaceId} and a.id = ${accountId} and a.status = 'CONNECTED'`,
  )
  if (!account) return
  const network = ports.networks.get(account.platform)
  if (!network.inbox) return
  const { inbox, app, platform } = network
  const who = { app, userKey: account.networkUser }
  const reserved = await ports.budget.reserve(who, inbox.subscribeCost + inbox.checkCost, 'begin', platform)
  if ('until' in reserved) throw new AppError('unavailable', 'The network’s request limit is reached. Try again later.')
  const { reservation } = reserved
  const url = webhookAddress(ports, platform)
  try {
    const stood = await withToken(scope, ports, { accountId, accessToken: account.accessToken }, (accessToken) =>
      subscribe(inbox, { account: { externalId: account.externalId, accessToken }, reservation }, url, account.url),
    )
    await note(scope, accountId, { url, stood })
  } catch (error) {
    if (!(error instanceof NetworkError) || error.kind === 'TRANSIENT' || error.kind === 'RATE_LIMIT') throw error
    scope.log.warn({ err: error, accountId }, 'the network does not send the events of an account')
    await note(scope, accountId, { url: null, stood: true })
  } finally {
    await reserved.release()
  }
}

/** Returns whether the subscription existed already. */
async function subscribe(
  inbox: Inbox,
  place: Parameters<Inbox['subscribe']>[0],
  url: string,
  before: string | null,
): Promise<boolean> {
  if (before === url && (await inbox.isSubscribed(place, url))) return true
  await inbox.subscribe(place, url)
  return false
}

/** Stores the address that the network has. If the subscription is new, reads what was missed. */
const note = (scope: Scope, accountId: string, { url, stood }: { url: string | null; stood: boolean }) =>
  scope.transaction(async (tx) => {
    await tx.run(query`insert into webhook_subscription (workspace_id, account_id, url, checked_at)
      values (${tx.workspaceId}, ${accountId}, ${url}, ${tx.now})
      on conflict (workspace_id, account_id) do update set url = excluded.url, checked_at = excluded.checked_at`)
    if (!stood) tx.enqueue('inbox-reading', { accountId }, { key: `reading:${accountId}` })
  })

/** Enqueues a subscription for accounts whose network sends to another address, and for those unchecked for a day. */
export async function renewSubscriptions(
  scope: Scope,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
  ports: Pick<SubscriptionPorts, 'networks' | 'settings'>,
): Promise<void> {
  const addresses = ports.networks
    .all()
    .flatMap((network) =>
      network.inbox && network.configured
        ? [{ platform: network.platform, url: webhookAddress(ports, network.platform) }]
        : [],
    )
  const stale = await scopes.ask(
    'inbox',
    query<{ workspaceId: string; id: string }>`select a.workspace_id, a.id from social_account a
      join jsonb_to_recordset(${JSON.stringify(addresses)}::jsonb) as x(platform text, url text) on x.platform = a.platform
      left join webhook_subscription s on s.workspace_id = a.workspace_id and s.account_id = a.id
      where a.status = 'CONNECTED' and (s.checked_at is null or s.checked_at < ${new Date(scope.now().getTime() - CHECKED_EVERY)}
        or s.url is distinct from x.url and s.url is not null)`,
  )
  for (const { workspaceId, id } of stale) await subscribeSoon(scopes.scope(workspaceId, scope.actor), id)
}

const subscribeSoon = (scope: Scope, accountId: string) =>
  scope.transaction(
    async (tx) => void tx.enqueue('webhook-subscription', { accountId }, { key: `subscribe:${accountId}` }),
  )

/**
 * Subscribes the other accounts of a person again after one was disconnected: the network keeps one subscription for a
 * page and its photo account, and for a page in two workspaces.
 */
export async function subscribeOthers(
  scope: Scope,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
  { accountId, networkUser }: { accountId: string; networkUser: string },
): Promise<void> {
  const others = await scopes.ask(
    'inbox',
    query<{ workspaceId: string; id: string }>`select workspace_id, id from social_account
      where network_user = ${networkUser} and status = 'CONNECTED' and id <> ${accountId}`,
  )
  for (const { workspaceId, id } of others) await subscribeSoon(scopes.scope(workspaceId, scope.actor), id)
}
