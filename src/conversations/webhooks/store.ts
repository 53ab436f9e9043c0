import { uuidv7 } from 'uuidv7'
import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import type { Inbound } from '../../networks/network.ts'

interface NewEvent {
  /** Our account. */
  account: string
  event: Inbound
}

/** Stores the events of a workspace, each once however often and on whichever way it comes. A job applies the new ones. */
export async function storeEvents(scope: Scope, events: readonly NewEvent[], via: 'webhook' | 'read'): Promise<void> {
  if (events.length === 0) return
  // In the order of their keys, so that two transactions never wait for each other.
  const rows = events
    .map(({ account, event }) => ({ id: uuidv7(), account, key: event.key, at: event.at, event }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  await scope.transaction(async (tx) => {
    const fresh = await tx.run(query<{ accountId: string }>`
      insert into inbound_event (workspace_id, id, account_id, key, at, event, via)
      select ${tx.workspaceId}::uuid, x.id, x.account, x.key, x.at, x.event, ${via}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id uuid, account uuid, key text, at timestamptz, event jsonb)
      on conflict (workspace_id, account_id, key) do nothing returning account_id`)
    for (const accountId of new Set(fresh.map((each) => each.accountId))) {
      tx.enqueue('webhook-process', { accountId }, { key: `webhook:${accountId}` })
    }
  })
}
