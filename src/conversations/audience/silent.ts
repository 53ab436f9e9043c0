import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'

// A customer is erased 24 months after their last message.

const SILENT_MONTHS = 24

/** Matches customers `n` who have written nothing for too long. */
export const isSilent = sql`n.contact < (select extract(epoch from app_now() - make_interval(months => ${SILENT_MONTHS})
  - timestamptz '2000-01-01 00:00:00Z') * 1000)::bigint`

/** How many erasures a workspace enqueues at a time. Those of other workspaces come before its next batch. */
const AT_ONCE = 500

/** Enqueues a job for each workspace with silent customers. */
export async function findSilent(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const workspaces = await scopes.ask(
    'inbox',
    query<{ id: string }>`select distinct workspace_id as id from audience_node n where n.erased_at is null
      and n.merged_into is null and ${isSilent}`,
  )
  for (const { id } of workspaces) {
    await scopes.scope(id, scope.actor).transaction(async (tx) => enqueueOwn(tx))
  }
}

const enqueueOwn = (tx: Tx, after?: string) =>
  void tx.enqueue('customer-erasure', { own: true, after }, { key: `customers-silent:${tx.workspaceId}` })

/** Enqueues the erasure of the workspace's silent customers, in the order of their ids. */
export async function eraseSilent(scope: Scope, after = '00000000-0000-0000-0000-000000000000'): Promise<void> {
  await scope.transaction(async (tx) => {
    const silent = await tx.run(query<{
      id: string
    }>`select n.id from audience_node n where n.workspace_id = ${tx.workspaceId}
      and n.id > ${after} and n.erased_at is null and n.merged_into is null and ${isSilent} order by n.id limit ${AT_ONCE}`)
    for (const { id } of silent) {
      tx.enqueue('customer-erasure', { customerId: id, silent: true }, { key: `customer-silent:${id}` })
      tx.record({ type: 'customer.erasure_requested', subject: { customerId: id }, data: { why: 'silent' } })
    }
    if (silent.length === AT_ONCE) enqueueOwn(tx, silent.at(-1)!.id)
  })
}
