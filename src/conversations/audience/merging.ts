import { uuidv7 } from 'uuidv7'
import { AppError, invalid } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { askName, lockInbound } from './customers.ts'
import { MOST_TAGS, type OpenAudienceNode } from './api.ts'
import { readCustomer } from './audience.ts'
import { addUp } from './heat.ts'
import { merged, parted, UNDO_WITHIN } from './rules.ts'

// Merges customers who are one person. A merge moves identities, and with them threads and heat. Undoing it moves the
// same identities back, with everything that arrived since.

interface Locked {
  id: string
  name: string
  language: string | null
  tags: string[]
  version: number
  isErasing: boolean
  mergedInto: string | null
}

/**
 * Locks customers with their identities, and returns those that are not erased. An event is applied either before or
 * after this transaction.
 */
async function lockBoth(tx: Tx, ids: readonly string[]): Promise<(Locked | undefined)[]> {
  const accounts = await tx.run(query<{ id: string }>`select distinct account_id as id from audience_identity
    where workspace_id = ${tx.workspaceId} and node_id = any (${ids}::uuid[]) order by account_id`)
  for (const { id } of accounts) await lockInbound(tx, id)
  await tx.run(query`select from audience_identity where workspace_id = ${tx.workspaceId} and node_id = any (${ids}::uuid[])
    order by id for update`)
  const nodes = await tx.run(query<Locked>`select id, name, language, tags, version,
      erasing_at is not null as is_erasing, merged_into
    from audience_node where workspace_id = ${tx.workspaceId} and id = any (${ids}::uuid[]) and erased_at is null
    order by id for update`)
  return ids.map((id) => nodes.find((node) => node.id === id))
}

/** Refuses customers that are being erased: an erasure covers only the customers for whom it was requested. */
function refuseErasing(...nodes: Locked[]): void {
  if (nodes.some((node) => node.isErasing))
    throw new AppError('invalid_state', undefined, { current: 'ERASING', allowed: [] })
}

/**
 * Merges the customer `otherId` into the customer `id`. Throws `not_found`; `validation_failed` for the other or for
 * too many tags; `invalid_state` if one of them was already merged or is being erased.
 */
export async function mergeCustomers(scope: Scope, id: string, otherId: string): Promise<OpenAudienceNode> {
  if (id === otherId)
    throw invalid({
      path: '/with',
      code: 'same',
      message: 'A customer can’t be merged with themselves. Choose another customer.',
    })
  return scope.transaction(async (tx) => {
    const [kept, other] = await lockBoth(tx, [id, otherId])
    if (!kept) throw new AppError('not_found')
    if (!other) throw invalid({ path: '/with', code: 'unknown_id', message: 'No customer has this ID.' })
    if (kept.mergedInto !== null || other.mergedInto !== null)
      throw new AppError('invalid_state', undefined, { current: 'MERGED', allowed: [] })
    refuseErasing(kept, other)
    const known = merged(kept, other)
    if (known.tags.length > MOST_TAGS)
      throw invalid({
        path: '/with',
        code: 'too_many_tags',
        message: `Together, these customers have more than ${MOST_TAGS} tags. Remove some tags, then merge the customers.`,
        limit: MOST_TAGS,
      })
    const moved = await tx.run(query<{ id: string }>`update audience_identity set node_id = ${id}
      where workspace_id = ${tx.workspaceId} and node_id = ${otherId} returning id`)
    await tx.one(
      query`update audience_node set merged_into = ${id}, version = version + 1
        where workspace_id = ${tx.workspaceId} and id = ${otherId} and merged_into is null and erased_at is null returning id`,
      'invalid_state',
      { current: 'MERGED', allowed: [] },
    )
    await tx.run(query`insert into audience_merge (workspace_id, id, node_id, merged_id, identities, name, language, tags, at)
      values (${tx.workspaceId}, ${uuidv7()}, ${id}, ${otherId}, ${moved.map((one) => one.id)}, ${kept.name}, ${kept.language},
        ${kept.tags}, ${tx.now})`)
    await saveKnown(tx, kept, known)
    await addUp(tx, id)
    await addUp(tx, otherId)
    tx.record({ type: 'customer.merged', subject: { customerId: id }, data: { otherId } })
    await hintConversations(tx, id, otherId)
    return readCustomer(tx, id)
  })
}

interface Merge {
  id: string
  mergedId: string
  identities: string[]
  name: string
  language: string | null
  tags: string[]
  corrected: string[]
  at: Date
}

const newestMerge = (
  workspaceId: string,
  id: string,
) => query<Merge>`select id, merged_id, identities, name, language, tags, corrected, at
  from audience_merge where workspace_id = ${workspaceId} and node_id = ${id} order by at desc, id desc limit 1`

/**
 * Undoes the newest merge of a customer. Both get back their earlier state, and each keeps what they wrote since.
 * Throws `not_found`; `invalid_state` without a merge in the last 30 days, or if the customer is being erased.
 */
export async function unmergeCustomer(scope: Scope, id: string): Promise<OpenAudienceNode> {
  return scope.transaction(async (tx) => {
    const [first] = await tx.run(newestMerge(tx.workspaceId, id))
    const [kept, other] = await lockBoth(tx, first ? [id, first.mergedId] : [id])
    if (!kept) throw new AppError('not_found')
    const [merge] = await tx.run(newestMerge(tx.workspaceId, id))
    const isUndoable = merge && merge.id === first?.id && tx.now.getTime() - merge.at.getTime() <= UNDO_WITHIN
    if (kept.mergedInto !== null) throw new AppError('invalid_state', undefined, { current: 'MERGED', allowed: [] })
    if (!isUndoable || !other) {
      throw new AppError('invalid_state', undefined, { current: merge ? 'FINAL' : 'NOT_MERGED', allowed: [] })
    }
    refuseErasing(kept)
    await tx.run(query`update audience_identity set node_id = ${other.id}
      where workspace_id = ${tx.workspaceId} and id = any (${merge.identities}::uuid[]) and node_id = ${id}`)
    await tx.one(
      query`update audience_node set merged_into = null, version = version + 1
        where workspace_id = ${tx.workspaceId} and id = ${other.id} and merged_into = ${id} returning id`,
      'invalid_state',
      { current: 'NOT_MERGED', allowed: [] },
    )
    await tx.one(
      query`delete from audience_merge where workspace_id = ${tx.workspaceId} and id = ${merge.id} returning id`,
      'invalid_state',
      { current: 'NOT_MERGED', allowed: [] },
    )
    await saveKnown(tx, kept, parted(kept, merge, other))
    await addUp(tx, id)
    await addUp(tx, other.id)
    await askNames(tx, [id, other.id])
    tx.record({ type: 'customer.unmerged', subject: { customerId: id }, data: { otherId: other.id } })
    await hintConversations(tx, id, other.id)
    return readCustomer(tx, id)
  })
}

/** Asks the networks for missing names. */
async function askNames(tx: Tx, ids: readonly string[]): Promise<void> {
  const nameless = await tx.run(query<{ id: string }>`select i.id from audience_identity i
    join audience_node n on n.workspace_id = i.workspace_id and n.id = i.node_id
    where i.workspace_id = ${tx.workspaceId} and i.node_id = any (${ids}::uuid[]) and n.name = ''`)
  for (const { id } of nameless) askName(tx, id)
}

async function saveKnown(
  tx: Tx,
  { id, version }: Locked,
  { name, language, tags }: ReturnType<typeof merged>,
): Promise<void> {
  await tx.one(
    query`update audience_node set name = ${name}, language = ${language}, tags = ${tags}, version = version + 1
      where workspace_id = ${tx.workspaceId} and id = ${id} and version = ${version} returning id`,
    'invalid_state',
    { current: 'MERGED', allowed: [] },
  )
}

/** Makes screens refresh the conversations of two customers. */
async function hintConversations(tx: Tx, id: string, otherId: string): Promise<void> {
  const threads = await tx.run(query<{ id: string }>`select t.id from thread t join audience_identity i
    on i.workspace_id = t.workspace_id and i.id = t.identity_id
    where t.workspace_id = ${tx.workspaceId} and i.node_id in (${id}, ${otherId})`)
  for (const thread of threads) tx.emit({ kind: 'conversation', id: thread.id })
}
