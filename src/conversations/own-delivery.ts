import type { Crypto } from '../core/platform/crypto.ts'
import { query, sql } from '../core/platform/db.ts'
import type { Tx } from '../core/platform/scope.ts'
import type { DeliveryState, ThreadDeliveryKind } from '../delivery/api.ts'
import { settle } from '../delivery/settle.ts'
import type { ThreadDrivers } from '../delivery/driver.ts'
import { sameText } from '../networks/rules.ts'
import { personHash } from './audience/customers.ts'
import type { InboundMessage } from './threads/inbound.ts'

// Whether one of our deliveries made a message that the network reports as the account's own.

interface Candidate {
  id: string
  threadId: string
  fence: number
  kind: ThreadDeliveryKind
  state: DeliveryState
  messageId: string
  text: string | null
  hasPicture: boolean
}

/** The form of our metadata, the id of a message. Other apps of the account send metadata of their own. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const metadataOf = (event: InboundMessage) => (event.kind === 'message' ? event.metadata : null)

/**
 * Settles the delivery of ours that made a message, and returns `proven`. Returns `foreign` if none did. `waitsFor` names
 * a thread with a delivery that has no external id yet and may have made the message. The event is applied once that
 * delivery is settled and its id is known.
 */
export async function ownDelivery(
  tx: Tx,
  { crypto, drivers }: { crypto: Crypto; drivers: ThreadDrivers },
  accountId: string,
  event: InboundMessage,
): Promise<'proven' | 'foreign' | { waitsFor: string }> {
  const candidates = await lockCandidates(tx, crypto, accountId, event)
  const proven = provenBy(candidates, event)
  if (!proven) {
    const waiting = candidates.find(({ state }) => state === 'SUBMITTING')
    return waiting ? { waitsFor: waiting.threadId } : 'foreign'
  }
  const other =
    proven.kind === 'private_reply' && proven.state === 'FAILED' ? await otherPrivateReply(tx, proven.id) : null
  if (other) return other === 'PUBLISHED' ? 'foreign' : { waitsFor: proven.threadId }
  const row = { subjectId: proven.threadId, id: proven.id, fence: proven.fence, state: proven.state }
  const verdict = {
    state: 'PUBLISHED',
    externalId: event.id,
    permalink: null,
    publishedAt: new Date(event.at),
  } as const
  const settled = await settle(tx, drivers[proven.kind], row, verdict)
  if (settled === 'lost') throw new Error('A delivery was lost although it was locked')
  return 'proven'
}

/**
 * Returns the delivery that made a message. The metadata that we sent along proves a delivery in any state, even one
 * that seemed absent. If the network does not return metadata, an equal text proves a delivery that is UNCONFIRMED, or
 * that a person has found at the network.
 */
export function provenBy<C extends Pick<Candidate, 'state' | 'messageId' | 'text' | 'hasPicture'>>(
  candidates: readonly C[],
  event: InboundMessage,
): C | undefined {
  const metadata = metadataOf(event)
  if (metadata !== null) return candidates.find(({ messageId }) => messageId === metadata)
  return candidates.find(
    ({ state, text, hasPicture }) =>
      state !== 'SUBMITTING' && sameText(text ?? '', event.text) && hasPicture === event.attachments.length > 0,
  )
}

/**
 * Locks and returns the deliveries without an external id that may have made a message, with their threads. Threads are
 * locked first, as everywhere.
 */
async function lockCandidates(tx: Tx, crypto: Crypto, accountId: string, event: InboundMessage): Promise<Candidate[]> {
  const { workspaceId } = tx
  const metadata = metadataOf(event)
  const named = metadata !== null && ID.test(metadata) ? metadata : null
  const kinds = event.kind === 'comment' ? ['reply'] : ['dm', 'private_reply']
  // A message that a person has found was written between its intent and that finding, by clocks that may differ.
  const mayBeIt = sql`d.workspace_id = ${workspaceId} and d.account_id = ${accountId} and d.kind = any (${kinds}::text[])
    and d.external_id is null and (d.state in ('SUBMITTING', 'UNCONFIRMED') or d.message_id = ${named}
      or d.state = 'PUBLISHED' and ${event.at}::timestamptz
        between coalesce(d.first_intent_at, d.intent_at) - interval '2 minutes' and d.published_at + interval '2 minutes')`
  // Each person below a comment has a thread, but networks report every answer there as one to the root comment. A
  // private reply belongs to the comment's thread, but networks report it as a direct message.
  const threadIds =
    event.kind === 'comment'
      ? sql`select m.thread_id from message m
          where m.workspace_id = ${workspaceId} and m.account_id = ${accountId} and m.external_id = ${event.parentId}
        union select d.thread_id from thread o join delivery d on d.thread_id = o.id and ${mayBeIt}
          where o.workspace_id = ${workspaceId} and o.account_id = ${accountId} and o.post_ref = ${event.postId}
            and starts_with(o.key, ${`c:${event.parentId}:`})`
      : sql`select d.thread_id from audience_identity i
          join thread o on o.workspace_id = i.workspace_id and o.identity_id = i.id
          join delivery d on d.thread_id = o.id and ${mayBeIt}
          where i.workspace_id = ${workspaceId} and i.account_id = ${accountId} and i.hash = ${personHash(crypto, event.withId)}
        union select d.thread_id from delivery d where ${mayBeIt} and d.message_id = ${named}`
  const threads = await tx.run(query<{ id: string }>`select t.id from thread t
    where t.workspace_id = ${workspaceId} and t.id in (${threadIds}) order by t.id for update of t`)
  return tx.run(query<Candidate>`select d.id, d.thread_id, d.fence, d.kind, d.state, d.message_id, m.text,
      m.text is null as has_picture from delivery d
    join message m on m.workspace_id = d.workspace_id and m.id = d.message_id
    where d.thread_id = any (${threads.map(({ id }) => id)}::uuid[]) and ${mayBeIt} order by d.id for update of d`)
}

/**
 * Returns the state of another private reply to the same comment that was sent since one failed, or null. A comment has
 * one private reply at most, so the failed one cannot be live beside it. Its message is then one that the account wrote.
 */
async function otherPrivateReply(tx: Tx, id: string): Promise<DeliveryState | null> {
  const [other] = await tx.run(query<{ state: DeliveryState }>`select o.state from delivery d
    join delivery o on o.workspace_id = d.workspace_id and o.account_id = d.account_id and o.kind = 'private_reply'
      and o.state <> 'FAILED' and o.content ->> 'commentId' = d.content ->> 'commentId'
    where d.workspace_id = ${tx.workspaceId} and d.id = ${id}`)
  return other?.state ?? null
}
