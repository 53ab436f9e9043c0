import type { SocialAccount } from '../../channels/api.ts'
import { AppError } from '../../core/errors.ts'
import { type Page, page, type PageRequest } from '../../core/platform/cursor.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { enqueueAgain, reconcileAgain } from '../../delivery/deliveries.ts'
import type { Call, Driver, Settled } from '../../delivery/driver.ts'
import { verdictOnAccount, graceEnds, type FencedRow } from '../../delivery/rules.ts'
import { type Network, NetworkError, type PostPlace } from '../../networks/network.ts'
import type { Removal } from '../posts/api.ts'
import { removalsWhere } from '../posts/posts-shape.ts'

// The removal of a live post from its network, after our record was deleted. It is done once the post is gone, even if
// a person deleted it on the network. So sending a removal twice is harmless.

/** A removal, read together with its claim. */
interface Subject {
  /** The network's id of the post. */
  postId: string
  status: SocialAccount['status']
  paused: boolean
}

interface Content {
  postId: string
}

/** Removes a live post, as a driver of the delivery machine. */
export const removalDriver: Driver<Subject, Content, { id: string }> = {
  kind: 'remove',
  calls: sql`'begin'`,
  words: 'removal',

  subject: () => sql`(select json_build_object('postId', t.external_id, 'status', a.status,
      'paused', a.paused_at is not null)
    from delivery t where t.workspace_id = c.workspace_id and t.id = c.after_id)`,

  stop: ({ subject, dueAt }, _settings, now) =>
    verdictOnAccount(subject, { disconnected: 'removal_disconnected', until: graceEnds(dueAt), now }),

  compose: ({ subject: { postId } }) => ({ hash: postId, sent: { text: '', media: [] }, content: { postId } }),
  recall: ({ subject: { postId } }) => ({ postId }),

  cost: ({ network }) => 1 + removalOf(network).readCost,
  readCost: (network) => removalOf(network).readCost,

  async commit(call) {
    try {
      await removalOf(call.network).remove(placeOf(call))
    } catch (error) {
      // A person may have deleted the post on the network before.
      const isUnknown = error instanceof NetworkError && error.kind === 'NOT_FOUND'
      if (!isUnknown || !(await removalOf(call.network).isGone(placeOf(call)))) throw error
    }
    return gone
  },
  find: async (call) => ((await removalOf(call.network).isGone(placeOf(call))) ? [gone] : []),

  lock: (workspaceId, postId) =>
    query<{ id: string }>`select id from post where workspace_id = ${workspaceId} and id = ${postId}`,
  onSettled: announceSettlement,
}

/** A removal leaves no id and no address at the network. */
const gone = { externalId: null, permalink: null, publishedAt: null }

const placeOf = ({ account, content, reservation }: Call<Content>): PostPlace => ({
  account,
  postId: content.postId,
  reservation,
})

function removalOf({ removal }: Network): NonNullable<Network['removal']> {
  if (!removal) throw new Error('This network does not let apps delete posts')
  return removal
}

async function announceSettlement(
  tx: Tx,
  { subjectId: postId, mine, verdict }: Settled<{ id: string }>,
): Promise<void> {
  tx.emit({ kind: 'post', id: postId })
  const at = { postId, publicationId: mine.afterId }
  if (verdict.state === 'PUBLISHED') tx.record({ type: 'removal.done', subject: at })
  if (verdict.state !== 'FAILED' && verdict.state !== 'UNCONFIRMED') return
  const { state, error } = verdict
  tx.record({ type: `removal.${state.toLowerCase()}`, subject: at, data: { code: error.code } })
}

/** Returns a page of removals, newest first. */
export async function listRemovals(scope: Scope, request: PageRequest): Promise<Page<Removal>> {
  const removals = page(sql`r.id`, request)
  const [rows] = await scope.read(removalsWhere(sql`r.workspace_id = ${scope.workspaceId} and ${removals.rows}`))
  return removals.of(rows.map(({ json }) => json))
}

/**
 * Retries a failed removal. If its outcome is unknown, the network is read first. Throws `not_found`, `invalid_state`.
 */
export async function retryRemoval(scope: Scope, postId: string, publicationId: string): Promise<Removal> {
  return scope.transaction(async (tx) => {
    const { id, state } = await tx.one(
      query<Pick<FencedRow, 'id' | 'state'>>`select id, state from delivery where workspace_id = ${tx.workspaceId}
        and post_id = ${postId} and after_id = ${publicationId} and kind = 'remove' for update`,
      'not_found',
    )
    const read = async () =>
      (await tx.one(removalsWhere(sql`r.workspace_id = ${tx.workspaceId} and r.id = ${id}`), 'not_found')).json
    if (state === 'FAILED') await enqueueAgain(tx, id)
    else if (state === 'UNCONFIRMED') await reconcileAgain(tx, id)
    else {
      const { state: current } = await read()
      throw new AppError('invalid_state', 'Only failed or unconfirmed deletions can be retried.', {
        current,
        allowed: [],
      })
    }
    tx.record({ type: 'removal.retried', subject: { postId, publicationId } })
    return read()
  })
}
