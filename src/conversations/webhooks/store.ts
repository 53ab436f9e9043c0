import { uuidv7 } from 'uuidv7'
import { asJson } from '../../core/platform/json.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import type { Inbound } from '../../networks/network.ts'

interface NewEvent {
  /** The id of our account. */
  account: string
  event: Inbound
}

/**
 * Stores the events of a workspace, each once, however often and by whichever way it arrives. A job applies the new
 * ones.
 */
export async function storeEvents(scope: Scope, events: readonly NewEvent[], via: 'webhook' | 'read'): Promise<void> {
  if (events.length === 0) return
  // Rows are in the order of their keys, so that two transactions cannot deadlock.
  const rows = events
    .map(({ account, event }) => ({ ...rowOf(event), account }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  await scope.transaction(async (tx) => {
    const fresh = await tx.run(query<{ accountId: string }>`
      insert into inbound_event (workspace_id, id, account_id, key, at, event, via)
      select ${tx.workspaceId}::uuid, x.id, x.account, x.key, x.at, x.event, ${via}
      from jsonb_to_recordset(${asJson(rows)}::jsonb) as x(id uuid, account uuid, key text, at timestamptz, event jsonb)
      on conflict (workspace_id, account_id, key) do nothing returning account_id`)
    for (const accountId of new Set(fresh.map((each) => each.accountId))) {
      tx.enqueue('webhook-process', { accountId }, { key: `webhook:${accountId}` })
    }
  })
}

const rowOf = (event: Inbound) => ({ id: uuidv7(), key: event.key, at: event.at, event })

/**
 * Stores events that networks delivered, each once for every workspace that has its account, and enqueues the jobs that
 * apply them. This is one statement, because a network waits for its commit. Returns the number of events for accounts
 * that are not connected.
 */
export async function storeDelivered(
  scopes: Pick<Scopes, 'ask'>,
  told: readonly { platform: string; event: Inbound }[],
): Promise<number> {
  const rows = told.map(({ platform: network, event }) => ({
    ...rowOf(event),
    network,
    account: event.accountId,
  }))
  // Rows are inserted in the order of their keys, so that two transactions cannot deadlock.
  const [stored] = await scopes.ask(
    'webhook',
    query<{ strangers: number }>`
      with told as materialized (
        select * from jsonb_to_recordset(${asJson(rows)}::jsonb)
          as x(id uuid, network text, account text, key text, at timestamptz, event jsonb)
      ), known as materialized (
        select workspace_id, id, platform, external_id from social_account
        where status <> 'DISCONNECTED' and (platform, external_id) in (select network, account from told)
      ), fresh as (
        insert into inbound_event (workspace_id, id, account_id, key, at, event, via)
        select k.workspace_id, t.id, k.id, t.key, t.at, t.event, 'webhook'
        from told t join known k on k.platform = t.network and k.external_id = t.account
        order by k.workspace_id, k.id, t.key
        on conflict (workspace_id, account_id, key) do nothing returning workspace_id, account_id
      )
      select (select count(*)::int from told t where not exists (
          select from known k where k.platform = t.network and k.external_id = t.account)) as strangers,
        case when f.account_id is not null then enqueue_once(f.workspace_id, jsonb_build_object('name', 'webhook-process',
          'key', 'webhook:' || f.account_id, 'data', jsonb_build_object('accountId', f.account_id))) end
      from (select) one left join (select distinct workspace_id, account_id from fresh order by workspace_id, account_id) f on true`,
  )
  return stored?.strangers ?? 0
}
