import type { SocialAccount } from '../../channels/api.ts'
import { AppError } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope, Tx } from '../../core/platform/scope.ts'
import { enqueueAgain, enqueueComment, reconcileAgain } from '../../delivery/deliveries.ts'
import { settle } from '../../delivery/settle.ts'
import type { Call, Claimed, Driver, Settled } from '../../delivery/driver.ts'
import { verdictOnAccount, errorFor, graceEnds, type FencedRow } from '../../delivery/rules.ts'
import type { CommentPlace, Network } from '../../networks/network.ts'
import type { Ports } from '../../services.ts'
import type { Post } from '../posts/api.ts'
import { readPost } from '../posts/posts-read.ts'
import { commentState } from '../posts/posts-shape.ts'

// The first comment below a live post. It is a separate delivery: its outcome never changes the post.

/** A comment, read together with its claim. */
interface Subject {
  text: string
  /** The network's id of the post, or null if it is not known yet. */
  below: string | null
  status: SocialAccount['status']
  paused: boolean
}

interface Content {
  text: string
  below: string
}

/** Writes a first comment, as a driver of the delivery machine. */
export const commentDriver: Driver<Subject, Content, { id: string }> = {
  kind: 'comment',
  calls: sql`'begin'`,
  words: 'comment',

  subject: () => sql`(select json_build_object('text', c.content ->> 'text', 'below', t.external_id, 'status', a.status,
      'paused', a.paused_at is not null)
    from delivery t where t.workspace_id = c.workspace_id and t.id = c.after_id)`,

  stop({ subject: { below, status, paused }, dueAt }, _settings, now) {
    if (below === null) return { state: 'FAILED', error: errorFor('post_unnamed') }
    return verdictOnAccount({ status, paused }, { disconnected: 'account_disconnected', until: graceEnds(dueAt), now })
  },

  compose: (row) => ({ hash: row.subject.text, sent: { text: row.subject.text, media: [] }, content: contentOf(row) }),
  recall: (row) => contentOf(row),

  cost: () => 1,
  readCost: (network) => network.readCost,
  commit: async (call) => shown(await commentsOf(call.network).write(placeOf(call))),
  // Of two comments with the same text, either will do.
  find: async (call, since) => (await commentsOf(call.network).find(placeOf(call), since)).slice(0, 1).map(shown),

  lock: (workspaceId, postId) =>
    query<{ id: string }>`select id from post where workspace_id = ${workspaceId} and id = ${postId}`,
  onSettled: announceSettlement,
}

const contentOf = ({ sent, subject }: Claimed<Subject>): Content => ({
  text: sent?.text ?? subject.text,
  below: subject.below ?? '',
})

const placeOf = ({ account, content, reservation }: Call<Content>): CommentPlace => ({
  account,
  postId: content.below,
  text: content.text,
  reservation,
})

const shown = (externalId: string) => ({ externalId, permalink: null, publishedAt: null })

function commentsOf({ comments }: Network): NonNullable<Network['comments']> {
  if (!comments) throw new Error('This network does not support comments')
  return comments
}

async function announceSettlement(
  tx: Tx,
  { subjectId: postId, mine, verdict }: Settled<{ id: string }>,
): Promise<void> {
  tx.emit({ kind: 'post', id: postId })
  const at = { postId, publicationId: mine.afterId }
  if (verdict.state === 'PUBLISHED')
    tx.record({ type: 'first_comment.posted', subject: at, data: { externalId: verdict.externalId } })
  if (verdict.state !== 'FAILED' && verdict.state !== 'UNCONFIRMED') return
  const { state, error } = verdict
  tx.record({ type: `first_comment.${state.toLowerCase()}`, subject: at, data: { code: error.code } })
}

/**
 * Enqueues the first comment of a live post, if one was written for it. Runs in the transaction that records the post
 * as live.
 */
export async function enqueueFirstComment(tx: Tx, publicationId: string, externalId: string | null): Promise<void> {
  const [written] = await tx.run(query<{ text: string | null }>`
    select coalesce(t.sent ->> 'comment', btrim(p.platform_options -> a.platform ->> 'firstComment')) as text
    from publication t join post p on p.workspace_id = t.workspace_id and p.id = t.post_id
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where t.workspace_id = ${tx.workspaceId} and t.id = ${publicationId}`)
  if (written?.text) await enqueueComment(tx, publicationId, written.text, externalId !== null)
}

/** Fails a comment that waits for the id of its post. Called after the last look for that id. */
export async function failFirstComment(tx: Tx, publicationId: string): Promise<void> {
  const [row] = await tx.run(query<FencedRow>`select post_id as subject_id, id, fence, state from delivery
    where workspace_id = ${tx.workspaceId} and after_id = ${publicationId} and wait_reason = 'unnamed'`)
  if (row) await settle(tx, commentDriver, row, { state: 'FAILED', error: errorFor('post_unnamed') })
}

/**
 * Retries a failed comment. If its outcome is unknown, the network is read first. Throws `not_found`, `invalid_state`.
 */
export async function retryFirstComment(
  scope: Scope,
  ports: Pick<Ports, 'networks' | 'settings'>,
  postId: string,
  publicationId: string,
): Promise<Post> {
  return scope.transaction(async (tx) => {
    const { id, state, told } = await tx.one(
      query<
        Pick<FencedRow, 'id' | 'state'> & { told: string }
      >`select c.id, c.state, ${commentState} as told from delivery c
        join post p on p.workspace_id = c.workspace_id and p.id = c.post_id and p.deleted_at is null
        where c.workspace_id = ${tx.workspaceId} and c.post_id = ${postId} and c.after_id = ${publicationId}
          and c.kind = 'comment' for update of c`,
      'not_found',
    )
    if (state === 'FAILED') await enqueueAgain(tx, id)
    else if (state === 'UNCONFIRMED') await reconcileAgain(tx, id)
    else
      throw new AppError('invalid_state', 'Only failed or unconfirmed comments can be retried.', {
        current: told,
        allowed: [],
      })
    tx.record({ type: 'first_comment.retried', subject: { postId, publicationId } })
    return readPost(tx, ports, postId)
  })
}
