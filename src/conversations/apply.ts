import { uuidv7 } from 'uuidv7'
import { query, sql } from '../core/platform/db.ts'
import type { Crypto } from '../core/platform/crypto.ts'
import type { Scope, Tx } from '../core/platform/scope.ts'
import type { DeliveryState, ThreadDeliveryKind } from '../delivery/api.ts'
import { settle } from '../delivery/settle.ts'
import type { ThreadDrivers } from '../delivery/driver.ts'
import type { Inbound } from '../networks/network.ts'
import { sameText } from '../networks/rules.ts'
import { isInPlan } from '../team/plans/plans.ts'
import { applyChange } from './changes.ts'
import { touchThread } from './threads/answered.ts'
import { isChange, storeReadUntil, type LockedThread, openThread } from './threads/inbound.ts'
import { addMessage } from './threads/messages.ts'
import { supersede } from './bot/drafts.ts'
import { decideAbout } from './bot/incoming.ts'
import { storeAttachments } from './attachments/attachments.ts'
import { warm } from './audience/heat.ts'
import { WEIGHTS } from './audience/rules.ts'
import type { EscalationRule } from './escalation/api.ts'
import { escalateByRule, rulesWhere } from './escalation/escalation.ts'
import { giveName, identityOf, lockInbound, personHash } from './audience/customers.ts'
import { addFailure, endOrPark, takeChanges } from './webhooks/events.ts'
import { MOST_FAILURES } from './webhooks/rules.ts'

// Applies the events of networks. Events of one account are applied one at a time, and any order gives the same result.

/** The maximum number of events per job run. A full run enqueues the next one. */
const BATCH = 200

interface Parts {
  crypto: Crypto
  drivers: ThreadDrivers
  /** Read together with the events, once for all of them. */
  rules: readonly EscalationRule[]
}

interface InboundRow {
  id: string
  at: Date
  event: Inbound
}

/** Applies the pending events of an account that are due, the oldest first. */
export async function applyEvents(scope: Scope, services: Omit<Parts, 'rules'>, accountId: string): Promise<void> {
  const [rows, rules] = await scope.read(
    query<InboundRow>`select id, at, event from inbound_event
      where workspace_id = ${scope.workspaceId} and account_id = ${accountId} and done_at is null and failures < ${MOST_FAILURES}
        and not waits and coalesce(retry_at, '-infinity') <= app_now() order by at, id limit ${BATCH}`,
    rulesWhere(scope.workspaceId, isInPlan(sql`r.workspace_id`, 'auto_reply')),
  )
  const parts = { ...services, rules: rules.map(({ json }) => json) }
  for (const row of rows) {
    try {
      await scope.transaction((tx) => applyOne(tx, parts, accountId, row))
    } catch (error) {
      scope.log.error({ err: error, eventId: row.id }, 'an event of a network could not be applied')
      await scope.transaction((tx) => countFailure(tx, accountId, row.id, error))
    }
  }
  if (rows.length < BATCH) return
  await scope.transaction(
    async (tx) => void tx.enqueue('webhook-process', { accountId }, { key: `webhook:${accountId}` }),
  )
}

/** Counts a failure and enqueues a retry, whether or not more events come. */
async function countFailure(tx: Tx, accountId: string, id: string, error: unknown): Promise<void> {
  const failed = await addFailure(tx, id, error)
  if (!failed || failed.failures >= MOST_FAILURES) return
  tx.enqueue('webhook-process', { accountId }, { key: `webhook-again:${id}`, runAt: failed.retryAt })
}

async function applyOne(tx: Tx, parts: Parts, accountId: string, row: InboundRow): Promise<void> {
  await lockInbound(tx, accountId)
  const [mine] = await tx.run(query`select from inbound_event where workspace_id = ${tx.workspaceId} and id = ${row.id}
    and done_at is null and not waits for update`)
  if (!mine) return
  const about = await applyEvent(tx, parts, accountId, row)
  await endOrPark(tx, row.id, about)
}

/** Returns what the event has to wait for, or null once it is applied. */
async function applyEvent(tx: Tx, parts: Parts, accountId: string, row: InboundRow): Promise<string | null> {
  const { event } = row
  if (isChange(event)) return (await applyChange(tx, accountId, event, row.at)) ? null : event.id
  switch (event.kind) {
    case 'comment':
    case 'message':
      return applyMessage(tx, parts, accountId, event)
    case 'read':
      await storeReadUntil(tx, {
        accountId,
        key: `dm:${personHash(parts.crypto, event.withId)}`,
        until: event.until,
      })
      return null
    case 'story_end': {
      const { id: externalId, at, reach, impressions } = event
      tx.enqueue(
        'analytics-sync',
        { accountId, story: { externalId, at, reach, impressions } },
        { key: `story:${accountId}:${externalId}` },
      )
      return null
    }
    default:
      return null
  }
}

type Written = Extract<Inbound, { kind: 'comment' | 'message' }>

/** Adds a message to its thread, and applies changes to it that came earlier. */
async function applyMessage(
  tx: Tx,
  { crypto, drivers, rules }: Parts,
  accountId: string,
  event: Written,
): Promise<string | null> {
  const isKnown = async () => {
    const [known] = await tx.run(query`select from message where workspace_id = ${tx.workspaceId}
      and account_id = ${accountId} and external_id = ${event.id}`)
    return known !== undefined
  }
  if (await isKnown()) return null
  const own = event.kind === 'comment' ? event.from.own : event.own
  if (own) {
    const outcome = await ownDelivery(tx, { crypto, drivers }, accountId, event)
    if (outcome === 'proven') return null
    if (outcome !== 'foreign') return `thread:${outcome.waitsFor}`
    // Our delivery may have stored this id while we waited for the lock of its thread.
    if (await isKnown()) return null
  }
  const thread = own
    ? await ownThread(tx, crypto, accountId, event)
    : await customersThread(tx, crypto, accountId, event)
  if (!thread) return null
  const id = uuidv7()
  await addMessage(tx, {
    id,
    threadId: thread.id,
    accountId,
    kind: event.kind === 'comment' ? 'COMMENT' : 'DM',
    direction: own ? 'OUT' : 'IN',
    source: own ? 'AGENT_MANUAL' : 'CUSTOMER',
    text: event.text || null,
    parent: sql`(select p.id from message p where p.workspace_id = ${tx.workspaceId} and p.account_id = ${accountId}
      and p.external_id = ${event.kind === 'comment' ? event.parentId : null})`,
    externalId: event.id,
    at: event.at,
  })
  await storeAttachments(tx, id, event.attachments)
  await wakeChanges(tx, accountId, event.id)
  await touchThread(tx, thread.id, { own, isDirect: event.kind === 'message' })
  if (!own) await warm(tx, thread.identityId, WEIGHTS[event.kind], new Date(event.at))
  if (own) await supersede(tx, thread.id, 'a person answered')
  else {
    const decides = await decideAbout(tx, thread.id, event.kind === 'comment' ? event.from.id : event.withId)
    // A decision tries the rules itself, after what comes before them.
    if (!decides && event.text) await escalateByRule(tx, rules, thread.id, event.text)
  }
  tx.record({
    type: own ? 'message.sent' : 'message.received',
    subject: { threadId: thread.id, messageId: id },
    data: { kind: event.kind, ...(own && { by: 'network' }) },
  })
  return null
}

const threadKey = (event: Written, author: string) =>
  event.kind === 'message' ? `dm:${author}` : `c:${event.parentId ?? event.id}:${author}`

/**
 * Locks and returns the thread of a customer's message, and creates it for the first one. Returns undefined for
 * messages from before the customer was erased.
 */
async function customersThread(
  tx: Tx,
  crypto: Crypto,
  accountId: string,
  event: Written,
): Promise<LockedThread | undefined> {
  const person = event.kind === 'comment' ? event.from : { id: event.withId, name: null, username: null }
  const identity = await identityOf(tx, crypto, { accountId, at: event.at }, person)
  if (!identity) return undefined
  const isComment = event.kind === 'comment'
  const thread = await openThread(tx, {
    accountId,
    key: threadKey(event, personHash(crypto, person.id)),
    identityId: identity.id,
    kind: isComment ? 'COMMENT' : 'DM',
    postRef: isComment ? event.postId : null,
    live: isComment && event.live === true,
    at: event.at,
  })
  if (!identity.isNamed && person.name) await giveName(tx, identity.id, person.name)
  return thread
}

/** Returns the thread to which the account itself wrote, or undefined for its own comment directly below its post. */
async function ownThread(tx: Tx, crypto: Crypto, accountId: string, event: Written): Promise<LockedThread | undefined> {
  if (event.kind === 'message') {
    return customersThread(tx, crypto, accountId, event)
  }
  const [thread] = await tx.run(query<LockedThread>`select t.id, t.identity_id, t.revision from message m
    join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id
    where m.workspace_id = ${tx.workspaceId} and m.account_id = ${accountId} and m.external_id = ${event.parentId} for update of t`)
  return thread
}

interface OwnDelivery {
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

/**
 * Returns whether one of our deliveries made the message. The metadata that we sent along proves a delivery without an
 * external id in any state, even one that seemed absent. If the network does not return metadata, an equal text proves
 * a delivery that is UNCONFIRMED, or that a person has found at the network. `waitsFor` names a thread with a delivery
 * that has no external id yet and may have made the message. The event is applied once that delivery is settled and its
 * id is known.
 */
async function ownDelivery(
  tx: Tx,
  { crypto, drivers }: Pick<Parts, 'crypto' | 'drivers'>,
  accountId: string,
  event: Written,
): Promise<'proven' | 'foreign' | { waitsFor: string }> {
  const { workspaceId } = tx
  const metadata = event.kind === 'message' ? event.metadata : null
  const named = metadata !== null && ID.test(metadata) ? metadata : null
  const kinds = event.kind === 'comment' ? ['reply'] : ['dm', 'private_reply']
  // A message that a person has found was written between its intent and that finding, by clocks that may differ.
  const mayBeIt = sql`d.workspace_id = ${workspaceId} and d.account_id = ${accountId} and d.kind = any (${kinds}::text[])
    and d.external_id is null and (d.state in ('SUBMITTING', 'UNCONFIRMED') or d.message_id = ${named}
      or d.state = 'PUBLISHED' and ${event.at}::timestamptz
        between coalesce(d.first_intent_at, d.intent_at) - interval '2 minutes' and d.published_at + interval '2 minutes')`
  // Threads are locked first, as everywhere. Each person below a comment has a thread, but networks report every answer
  // there as one to the root comment. A private reply belongs to the comment's thread, but networks report it as a
  // direct message.
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
  const open = await tx.run(query<OwnDelivery>`select d.id, d.thread_id, d.fence, d.kind, d.state, d.message_id, m.text,
      m.text is null as has_picture from delivery d
    join message m on m.workspace_id = d.workspace_id and m.id = d.message_id
    where d.thread_id = any (${threads.map(({ id }) => id)}::uuid[]) and ${mayBeIt} order by d.id for update of d`)
  const isIt = (each: OwnDelivery) =>
    metadata === null
      ? each.state !== 'SUBMITTING' &&
        sameText(each.text ?? '', event.text) &&
        each.hasPicture === event.attachments.length > 0
      : each.messageId === metadata
  const proven = open.find(isIt)
  if (!proven) {
    const waiting = open.find(({ state }) => state === 'SUBMITTING')
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

/** Applies the changes that came before their message. */
async function wakeChanges(tx: Tx, accountId: string, about: string): Promise<void> {
  const changes = await takeChanges(tx, accountId, about)
  for (const { event, at } of changes) await applyChange(tx, accountId, event, at)
}
