import { uuidv7 } from 'uuidv7'
import type { Crypto, CipherPlace } from '../../core/platform/crypto.ts'
import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'

/** Serializes the events of one account, so that a change and its message cannot both find the other missing. */
export const lockInbound = (tx: Tx, accountId: string) =>
  tx.run(query`select pg_advisory_xact_lock(hashtextextended(${`inbound ${accountId}`}, 0))`)

/** The context in which a person's id at the network is sealed. */
export const personPlace = (workspaceId: string, rowId: string): CipherPlace => ({
  table: 'audience_identity',
  column: 'value',
  workspaceId,
  rowId,
})

/** Returns the keyed hash by which a person's id is found. The id itself is not stored in clear text. */
export const personHash = (crypto: Pick<Crypto, 'keyedHash'>, personId: string) =>
  crypto.keyedHash(`person ${personId}`)

/** Enqueues the job that asks the network for a person's name. */
export const askName = (tx: Tx, identityId: string) =>
  tx.enqueue('customer-profile', { identityId }, { key: `profile:${identityId}` })

/**
 * Names the customer of an identity if they have no name yet. Returns whether it did. Locks the identity before the
 * customer.
 */
export async function giveName(tx: Tx, identityId: string, name: string): Promise<boolean> {
  const named = await tx.run(query`update audience_node n set name = ${name}
    from (select node_id from audience_identity where workspace_id = ${tx.workspaceId} and id = ${identityId} for no key update) i
    where n.workspace_id = ${tx.workspaceId} and n.id = i.node_id and n.name = '' and n.erased_at is null returning n.id`)
  return named.length > 0
}

/**
 * Returns a person's identity towards one account, and whether their customer has a name. Creates it when they write
 * for the first time. Returns null for messages from before they were erased.
 */
export async function identityOf(
  tx: Tx,
  crypto: Crypto,
  { accountId, at }: { accountId: string; at: string },
  person: { id: string; name: string | null; username: string | null },
): Promise<{ id: string; isNamed: boolean } | null> {
  const hash = personHash(crypto, person.id)
  const [known] = await tx.run(query<{ id: string; isNamed: boolean }>`
    select i.id, n.name <> '' as is_named from audience_identity i
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where i.workspace_id = ${tx.workspaceId} and i.account_id = ${accountId} and i.hash = ${hash}`)
  const [erased] = await tx.run(query`select from erased_person where workspace_id = ${tx.workspaceId}
    and account_id = ${accountId} and hash = ${hash} and at >= ${at}`)
  if (erased) return null
  if (known) return known
  const [id, nodeId] = [uuidv7(), uuidv7()]
  await tx.run(
    query`insert into audience_node (workspace_id, id, name) values (${tx.workspaceId}, ${nodeId}, ${person.name ?? ''})`,
  )
  await tx.run(query`insert into audience_identity (workspace_id, id, node_id, account_id, hash, value, username)
    values (${tx.workspaceId}, ${id}, ${nodeId}, ${accountId}, ${hash},
      ${crypto.seal(person.id, personPlace(tx.workspaceId, id))}, ${person.username})`)
  if (!person.name) askName(tx, id)
  return { id, isNamed: Boolean(person.name) }
}
