import { AppError } from '../core/errors.ts'
import type { Crypto } from '../core/platform/crypto.ts'
import { query } from '../core/platform/db.ts'
import { forgetAnswers } from '../core/platform/idempotency-keys.ts'
import type { Scope } from '../core/platform/scope.ts'
import { eraseThreadDeliveries } from '../delivery/deliveries.ts'
import { deleteThreadAttachments } from './attachments/attachments.ts'
import { eraseDecisions } from './bot/drafts.ts'
import { eraseExposures } from './experiments/experiments.ts'
import { eraseMemory } from './memory/memory.ts'
import { lockInbound, personPlace } from './audience/customers.ts'
import { type ErasedIdentity, eraseMerged, erasePerson, mergedInto } from './audience/erase.ts'
import { isSilent } from './audience/silent.ts'
import { eraseThreads } from './threads/erase.ts'
import { eraseEvents } from './webhooks/events.ts'

/**
 * Removes a customer's name, ids, texts and files from every table. The rows of threads and messages stay, empty.
 * Throws `unavailable` while an answer is being sent, so that the job is retried. With `unlessHeard` it skips a
 * customer who has written in the meantime, or who was merged into another, which has its own turn.
 */
export async function eraseCustomer(
  scope: Scope,
  { crypto }: { crypto: Crypto },
  { id: customerId, unlessHeard }: { id: string; unlessHeard: boolean },
): Promise<void> {
  await scope.transaction(async (tx) => {
    // An event that is being applied now is applied first. A later one finds the person erased.
    const accounts = await tx.run(query<{ id: string }>`select account_id as id from audience_identity
      where workspace_id = ${tx.workspaceId} and node_id = ${customerId} order by account_id`)
    for (const { id } of accounts) await lockInbound(tx, id)
    const threads = await tx.run(query<{ id: string }>`select t.id from thread t join audience_identity i
      on i.workspace_id = t.workspace_id and i.id = t.identity_id
      where t.workspace_id = ${tx.workspaceId} and i.node_id = ${customerId} order by t.id for update of t`)
    const identities = await tx.run(query<ErasedIdentity>`select id, account_id, hash, value from audience_identity
      where workspace_id = ${tx.workspaceId} and node_id = ${customerId} order by id for update`)
    const { isErased, isMerged, wrote } = await tx.one(
      query<{ isErased: boolean; isMerged: boolean; wrote: boolean }>`select n.erased_at is not null as is_erased,
          n.merged_into is not null as is_merged, not ${isSilent} as wrote
        from audience_node n where n.workspace_id = ${tx.workspaceId} and n.id = ${customerId} for update`,
      'not_found',
    )
    if (isErased || (unlessHeard && (wrote || isMerged))) return
    if (isMerged) throw new AppError('invalid_state', undefined, { current: 'MERGED', allowed: [] })
    const mergedIds = await mergedInto(tx, customerId)
    const threadIds = threads.map(({ id }) => id)
    if (!(await eraseThreadDeliveries(tx, threadIds)))
      throw new AppError('unavailable', 'A reply is still being sent. Try again shortly.')
    const messages = await tx.run(query<{ id: string; externalId: string | null }>`select id, external_id from message
      where workspace_id = ${tx.workspaceId} and thread_id = any (${threadIds}::uuid[])`)
    for (const identity of identities) {
      const personId = crypto.open(identity.value, personPlace(tx.workspaceId, identity.id))
      await eraseEvents(
        tx,
        identity.accountId,
        personId,
        messages.flatMap(({ externalId }) => externalId ?? []),
      )
    }
    await deleteThreadAttachments(tx, threadIds)
    await eraseThreads(tx, threadIds)
    await eraseDecisions(tx, threadIds)
    const identityIds = identities.map(({ id }) => id)
    await eraseMemory(tx, [...threadIds, ...identityIds, customerId, ...mergedIds])
    await eraseExposures(tx, identityIds)
    await tx.run(
      forgetAnswers(tx.workspaceId, [customerId, ...mergedIds, ...threadIds, ...messages.map(({ id }) => id)]),
    )
    await erasePerson(tx, customerId, identities)
    await eraseMerged(tx, customerId, mergedIds)
    for (const id of threadIds) tx.emit({ kind: 'conversation', id })
    tx.record({ type: 'customer.erased', subject: { customerId }, data: { threads: threadIds.length } })
  })
}
