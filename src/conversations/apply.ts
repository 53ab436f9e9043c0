import { uuidv7 } from 'uuidv7'
import { query, sql } from '../core/platform/db.ts'
import type { Crypto } from '../core/platform/crypto.ts'
import type { Scope, Tx } from '../core/platform/scope.ts'
import type { ThreadDrivers } from '../delivery/driver.ts'
import type { Platform } from '../networks/api.ts'
import type { Inbound } from '../networks/network.ts'
import { networks } from '../networks/rules.ts'
import type { Settings } from '../services.ts'
import { isInPlan } from '../team/plans/plans.ts'
import { applyChange } from './changes.ts'
import { touchThread } from './threads/answered.ts'
import { isChange, storeReadUntil, type LockedThread, openThread, type InboundMessage } from './threads/inbound.ts'
import { addMessage } from './threads/messages.ts'
import { supersede } from './bot/drafts.ts'
import { decideAbout } from './bot/incoming.ts'
import { storeAttachments } from './attachments/attachments.ts'
import { warm } from './audience/heat.ts'
import { WEIGHTS } from './audience/rules.ts'
import type { EscalationRule } from './escalation/api.ts'
import { escalateByRule, rulesWhere } from './escalation/escalation.ts'
import { giveName, identityOf, lockInbound, personHash } from './audience/customers.ts'
import { ownDelivery } from './own-delivery.ts'
import { addFailure, endOrPark, takeChanges } from './webhooks/events.ts'
import { MOST_FAILURES } from './webhooks/rules.ts'

// Applies the events of networks. Events of one account are applied one at a time, and any order gives the same result.

/** The maximum number of events per job run. A full run enqueues the next one. */
const BATCH = 200

interface Parts {
  crypto: Crypto
  settings: Pick<Settings, 'humanAgent'>
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

/** Adds a message to its thread, and applies changes to it that came earlier. */
async function applyMessage(
  tx: Tx,
  { crypto, settings, drivers, rules }: Parts,
  accountId: string,
  event: InboundMessage,
): Promise<string | null> {
  const username = event.kind === 'comment' ? event.from.username : null
  const look = () =>
    tx.one(
      query<{ isKnown: boolean; platform: Platform; isOurs: boolean }>`select platform,
          coalesce(lower(username) = lower(${username}), false) as is_ours,
          exists (select from message where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and external_id = ${event.id}) as is_known
        from social_account where workspace_id = ${tx.workspaceId} and id = ${accountId}`,
      'not_found',
    )
  const { isKnown, platform, isOurs } = await look()
  if (isKnown) return null
  const own =
    (isOurs && networks[platform].knowsAuthorsByUsername) || (event.kind === 'comment' ? event.from.own : event.own)
  if (own) {
    const outcome = await ownDelivery(tx, { crypto, drivers }, accountId, event)
    if (outcome === 'proven') return null
    if (outcome !== 'foreign') return `thread:${outcome.waitsFor}`
    // Our delivery may have stored this id while we waited for the lock of its thread.
    if ((await look()).isKnown) return null
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
  await touchThread(tx, thread.id, { own, isDirect: event.kind === 'message', humanAgent: settings.humanAgent })
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

const threadKey = (event: InboundMessage, author: string) =>
  event.kind === 'message' ? `dm:${author}` : `c:${event.parentId ?? event.id}:${author}`

/**
 * Locks and returns the thread of a customer's message, and creates it for the first one. Returns undefined for
 * messages from before the customer was erased.
 */
async function customersThread(
  tx: Tx,
  crypto: Crypto,
  accountId: string,
  event: InboundMessage,
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
    alsoPosts: (isComment && event.alsoPosts) || [],
    live: isComment && event.live === true,
    at: event.at,
  })
  if (!identity.isNamed && person.name) await giveName(tx, identity.id, person.name)
  return thread
}

/** Returns the thread to which the account itself wrote, or undefined for its own comment directly below its post. */
async function ownThread(
  tx: Tx,
  crypto: Crypto,
  accountId: string,
  event: InboundMessage,
): Promise<LockedThread | undefined> {
  if (event.kind === 'message') {
    return customersThread(tx, crypto, accountId, event)
  }
  const [thread] = await tx.run(query<LockedThread>`select t.id, t.identity_id, t.revision from message m
    join thread t on t.workspace_id = m.workspace_id and t.id = m.thread_id
    where m.workspace_id = ${tx.workspaceId} and m.account_id = ${accountId} and m.external_id = ${event.parentId} for update of t`)
  return thread
}

/** Applies the changes that came before their message. */
async function wakeChanges(tx: Tx, accountId: string, about: string): Promise<void> {
  const changes = await takeChanges(tx, accountId, about)
  for (const { event, at } of changes) await applyChange(tx, accountId, event, at)
}
