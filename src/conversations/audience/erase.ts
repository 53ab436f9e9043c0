import { query } from '../../core/platform/db.ts'
import type { Scope, Scopes, Tx } from '../../core/platform/scope.ts'

// The part of the customer's own rows in an erasure. `../erasure.ts` joins the parts of all tables.

/** Enqueues the erasure of a customer and of everyone merged into them so far. Throws `not_found`. */
export async function beginErasure(scope: Scope, customerId: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const { erased } = await tx.one(
      query<{ erased: boolean }>`select erased_at is not null as erased from audience_node
        where workspace_id = ${tx.workspaceId} and id = ${customerId} and merged_into is null for update`,
      'not_found',
    )
    if (erased) return
    await tx.run(query`update audience_node set erasing_at = coalesce(erasing_at, ${tx.now})
      where workspace_id = ${tx.workspaceId} and id = ${customerId}`)
    tx.enqueue('customer-erasure', { customerId }, { key: `customer-erasure:${customerId}` })
    tx.record({ type: 'customer.erasure_requested', subject: { customerId } })
  })
}

/** Returns the ids of all customers merged into a customer, directly or through another. */
export async function mergedInto(tx: Tx, id: string): Promise<string[]> {
  const found = await tx.run(query<{ id: string }>`with recursive down as (
      select id from audience_node where workspace_id = ${tx.workspaceId} and merged_into = ${id}
      union all select n.id from audience_node n join down on n.merged_into = down.id where n.workspace_id = ${tx.workspaceId})
    select id from down`)
  return found.map((one) => one.id)
}

export interface ErasedIdentity {
  id: string
  accountId: string
  hash: string
  value: string
}

/**
 * Empties a customer and their identities, and remembers the hashes, so that late events import nothing. Throws
 * `invalid_state` if someone was first.
 */
export async function erasePerson(tx: Tx, customerId: string, identities: readonly ErasedIdentity[]): Promise<void> {
  for (const { id, accountId, hash } of identities) {
    await tx.run(query`insert into erased_person (workspace_id, account_id, hash, at)
      values (${tx.workspaceId}, ${accountId}, ${hash}, ${tx.now})
      on conflict (workspace_id, account_id, hash) do update set at = excluded.at`)
    await tx.one(
      query`update audience_identity set hash = 'erased:' || id, value = '', username = null, heat = 0, heat_at = null, last_seen = null
        where workspace_id = ${tx.workspaceId} and id = ${id} and hash = ${hash} returning id`,
      'invalid_state',
      { current: 'ERASED', allowed: [] },
    )
  }
  await tx.one(
    query`update audience_node set name = '', language = null, tags = '{}', heat = 0, heat_at = null, last_seen = null,
        erased_at = ${tx.now} where workspace_id = ${tx.workspaceId} and id = ${customerId}
      and erased_at is null returning id`,
    'invalid_state',
    { current: 'ERASED', allowed: [] },
  )
}

/** Erases the names and tags of customers that were merged into this one, and the records of those merges. */
export async function eraseMerged(tx: Tx, customerId: string, mergedIds: readonly string[]): Promise<void> {
  await tx.run(query`delete from audience_merge where workspace_id = ${tx.workspaceId}
    and node_id = any (${[customerId, ...mergedIds]}::uuid[])`)
  await tx.run(query`update audience_node set name = '', language = null, tags = '{}', erased_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = any (${mergedIds}::uuid[]) and erased_at is null`)
}

/** Deletes the records of erased people that were made before a time. */
export const forgetErased = (scopes: Pick<Scopes, 'ask'>, before: Date) =>
  scopes.ask('inbox', query`delete from erased_person where at < ${before}`)
