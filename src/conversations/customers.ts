import { uuidv7 } from 'uuidv7'
import type { Crypto, Place } from '../core/platform/crypto.ts'
import { query, sql } from '../core/platform/db.ts'
import type { Tx } from '../core/platform/scope.ts'

/** Events of one account wait for each other here: a change and its message cannot both find the other missing. */
export const inTurn = (tx: Tx, accountId: string) =>
  tx.run(query`select pg_advisory_xact_lock(hashtextextended(${`inbound ${accountId}`}, 0))`)

/** The context with which the network's id of a person is sealed. */
export const personPlace = (workspaceId: string, rowId: string): Place => ({
  table: 'audience_identity',
  column: 'value',
  workspaceId,
  rowId,
})

/** The keyed hash that finds a person's id, which is not stored in clear. */
export const personHash = (crypto: Pick<Crypto, 'keyedHash'>, personId: string) =>
  crypto.keyedHash(`person ${personId}`)

/** The words of a search in names; the last one may be a beginning. */
export function nameWords(q: string) {
  const words = q.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return sql`to_tsquery('simple', ${words.map((word) => `'${word}'`).join(' & ') + (words.length > 0 ? ':*' : '')})`
}

/**
 * The identity of a person towards one account; made when they write for the first time. Null for what they wrote before they
 * were erased.
 */
export async function identityOf(
  tx: Tx,
  crypto: Crypto,
  { accountId, at }: { accountId: string; at: string },
  person: { id: string; name: string | null; username: string | null },
): Promise<string | null> {
  const hash = personHash(crypto, person.id)
  const [known] = await tx.run(query<{ id: string; nodeId: string; named: boolean }>`
    select i.id, i.node_id, n.name <> '' as named from audience_identity i
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where i.workspace_id = ${tx.workspaceId} and i.account_id = ${accountId} and i.hash = ${hash}`)
  const [erased] = await tx.run(query`select from erased_person where workspace_id = ${tx.workspaceId}
    and account_id = ${accountId} and hash = ${hash} and at >= ${at}`)
  if (erased) return null
  if (known) {
    if (!known.named && person.name) {
      await tx.run(
        query`update audience_node set name = ${person.name} where workspace_id = ${tx.workspaceId} and id = ${known.nodeId}`,
      )
    }
    return known.id
  }
  const [id, nodeId] = [uuidv7(), uuidv7()]
  await tx.run(
    query`insert into audience_node (workspace_id, id, name) values (${tx.workspaceId}, ${nodeId}, ${person.name ?? ''})`,
  )
  await tx.run(query`insert into audience_identity (workspace_id, id, node_id, account_id, hash, value, username)
    values (${tx.workspaceId}, ${id}, ${nodeId}, ${accountId}, ${hash},
      ${crypto.seal(person.id, personPlace(tx.workspaceId, id))}, ${person.username})`)
  if (!person.name) tx.enqueue('customer-profile', { identityId: id }, { key: `profile:${id}` })
  return id
}
