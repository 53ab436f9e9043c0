import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { markPraise } from '../threads/by-bot.ts'
import { PRAISE } from './rules.ts'

// How events raise the heat of customers. Locks are taken in this order: thread, identity, customer.

/**
 * Adds the weight of an event to the heat of an identity and its customer. The caller counts each event once. Events
 * may come in any order, because heat is always brought to the time of the latest one.
 */
export async function warm(tx: Tx, identityId: string, weight: number, at: Date): Promise<void> {
  // A network's clock may run ahead of ours.
  const when = at < tx.now ? at : tx.now
  const { nodeId } = await tx.one(
    query<{ nodeId: string }>`update audience_identity set
        heat = coalesce(heat_left(heat, heat_at, greatest(heat_at, ${when}::timestamptz)), 0)
          + heat_left(${weight}, ${when}::timestamptz, greatest(heat_at, ${when}::timestamptz)),
        heat_at = greatest(heat_at, ${when}::timestamptz), last_seen = greatest(last_seen, ${when}::timestamptz)
      where workspace_id = ${tx.workspaceId} and id = ${identityId} returning node_id`,
    'not_found',
  )
  await addUp(tx, nodeId)
}

/** Sums the heat of a customer's identities, and takes their last contact. */
export async function addUp(tx: Tx, nodeId: string): Promise<void> {
  // Of two concurrent events of one customer, the second sees the identities as the first left them.
  tx.lock(query`select from audience_node where workspace_id = ${tx.workspaceId} and id = ${nodeId} for no key update`)
  await tx.one(
    query`update audience_node n set heat = s.heat, heat_at = s.heat_at, last_seen = s.last_seen
      from (select coalesce(sum(heat_left(i.heat, i.heat_at, l.heat_at) order by i.id), 0) as heat, l.heat_at, max(i.last_seen) as last_seen
        from (select max(heat_at) as heat_at from audience_identity where workspace_id = ${tx.workspaceId} and node_id = ${nodeId}) l
        left join audience_identity i on i.workspace_id = ${tx.workspaceId} and i.node_id = ${nodeId} group by l.heat_at) s
      where n.workspace_id = ${tx.workspaceId} and n.id = ${nodeId} returning n.id`,
    'not_found',
  )
}

/**
 * Counts a message that is found to be praise, once, even if it is classified again. The caller has locked the thread.
 */
export async function countPraise(tx: Tx, messageId: string): Promise<void> {
  const praise = await markPraise(tx, messageId)
  if (praise) await warm(tx, praise.identityId, PRAISE, praise.at)
}

/** Keeps the first language detected as the customer's, until a person corrects it. */
export const learnLanguage = (tx: Tx, threadId: string, language: string) =>
  tx.run(query`update audience_node n set language = ${language} from thread t, audience_identity i
    where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} and i.workspace_id = t.workspace_id and i.id = t.identity_id
      and n.workspace_id = i.workspace_id and n.id = i.node_id and n.language is null and n.erased_at is null`)
