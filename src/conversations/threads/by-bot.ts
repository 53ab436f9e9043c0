import type { RawBuilder } from 'kysely'
import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { answerersAmong } from './answerers.ts'
import type { Thread, ThreadStatus, Urgency } from './api.ts'
import { moreUrgentThan } from './rules.ts'

// What the bot and its rules write into a thread. The caller has locked it.

/** Leaves the newest message of a thread to people. Returns its assignee, if they may answer. */
export async function holdThread(tx: Tx, threadId: string, why: string): Promise<string[]> {
  const { concerned } = await tx.one(
    query<{ concerned: string[] }>`update thread t set held = ${why}, updated_at = ${tx.now}
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId}
      returning ${answerersAmong(sql`t.workspace_id`, sql`t.assignee`)} as concerned`,
    'not_found',
  )
  return concerned
}

/** Changes why the newest message is left to people, or with null ends that. A thread without a hold stays as it is. */
export const replaceHold = (tx: Tx, threadId: string, why: string | null) =>
  tx.run(query`update thread set held = ${why}, updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = ${threadId} and held is not null`)

/** Ends the hold of a reply with an unknown outcome. */
export const endUnconfirmed = (tx: Tx, threadId: string) =>
  tx.run(
    query`update thread set held = null where workspace_id = ${tx.workspaceId} and id = ${threadId} and held = 'unconfirmed'`,
  )

/** Ends the hold of a thread. */
export const endHold = (tx: Tx, threadId: string) =>
  tx.run(query`update thread set held = null where workspace_id = ${tx.workspaceId} and id = ${threadId}`)

/**
 * Records that the bot hands over a thread, once per conversation. Returns the text that tells the customer, with the
 * disclosure if `isFirst`, a condition on the thread `t`, holds. Undefined if there is no text, if they were told, or if a
 * person has paused the bot.
 */
export async function takeHandoffText(
  tx: Tx,
  threadId: string,
  isFirst: RawBuilder<boolean>,
): Promise<{ text: string; disclosure: string | null } | undefined> {
  const [taken] = await tx.run(query<{
    text: string
    disclosure: string | null
  }>`update thread t set handed_over_at = ${tx.now} from bot_config c
    where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} and c.workspace_id = t.workspace_id
      and c.handoff_text is not null and (t.handed_over_at is null or t.handed_over_at < t.opened_at)
      and t.bot_paused_at is null
    returning c.handoff_text as text, case when ${isFirst} then c.disclosure_text end as disclosure`)
  return taken
}

interface Heard {
  sentiment: NonNullable<Thread['sentiment']>
  language: string
  intent: string
  urgency: Urgency
}

/**
 * Selects the urgency of a thread with a further message. What a person set stays. While the customer waits, no message
 * makes the ones before it less urgent.
 */
const urgencyWith = (urgency: Urgency) => sql`case when urgency_by = 'person' then urgency
  when urgency_by = 'message' and unanswered_at is not null and urgency = any (${moreUrgentThan(urgency)}::text[]) then urgency
  else ${urgency} end`

/** Stores how the model classified the newest message, for the people who answer it. */
export const storeClassification = (tx: Tx, threadId: string, { sentiment, language, intent, urgency }: Heard) =>
  tx.run(query`update thread set sentiment = ${sentiment}, language = ${language || null}, tags = ${[intent]},
      urgency = ${urgencyWith(urgency)}, urgency_by = coalesce(urgency_by, 'message'), updated_at = ${tx.now}
    where workspace_id = ${tx.workspaceId} and id = ${threadId}`)

/** Marks a customer's message as praise. Returns whose it is, or undefined if it is marked already. */
export async function markPraise(tx: Tx, messageId: string): Promise<{ identityId: string; at: Date } | undefined> {
  const [praise] = await tx.run(query<{
    identityId: string
    at: Date
  }>`update message m set is_praise = true from thread t
    where m.workspace_id = ${tx.workspaceId} and m.id = ${messageId} and m.direction = 'IN' and not m.is_praise
      and t.workspace_id = m.workspace_id and t.id = m.thread_id and t.identity_id is not null
    returning t.identity_id, m.at`)
  return praise
}

/** Escalates a thread that has the given status. Throws `invalid_state`. */
export async function markEscalated(
  tx: Tx,
  threadId: string,
  { status, urgency, assignee }: { status: ThreadStatus; urgency: Urgency; assignee: string | null },
): Promise<void> {
  await tx.one(
    query`update thread set status = 'ESCALATED', snoozed_until = null, held = null,
        urgency = ${urgency}, urgency_by = case when urgency = ${urgency} then urgency_by else 'message' end, assignee = ${assignee}, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${threadId} and status = ${status} returning id`,
    'invalid_state',
    { current: status, allowed: [] },
  )
}

/** Stores the variant of an experiment in which a reply was written for a thread. */
export const storeVariant = (
  tx: Tx,
  threadId: string,
  { experimentId, variant }: { experimentId: string; variant: 'A' | 'B' },
) =>
  tx.run(query`update thread set experiment_id = ${experimentId}, variant = ${variant}
    where workspace_id = ${tx.workspaceId} and id = ${threadId}`)

interface Reply {
  threadId: string
  messageId: string
}

/**
 * Shows a reply of the bot whose intent is written, and counts it unless it is counted. With `stillWaits` the wait goes
 * on: a hand-off text only says that a person will answer.
 */
export async function showReply(
  tx: Tx,
  { threadId, messageId }: Reply,
  { isCounted, stillWaits }: { isCounted: boolean; stillWaits: boolean },
): Promise<void> {
  await tx.one(
    query`update thread set bot_streak = bot_streak + ${isCounted ? 0 : 1}, last_out_at = ${tx.now}, held = null,
        unanswered_at = case when ${stillWaits} then unanswered_at end, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${threadId} returning id`,
    'not_found',
  )
  await tx.one(
    query`update message set is_intended = true, at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${messageId} returning id`,
    'not_found',
  )
}

/** Sets whether a reply of the bot is in its thread. Returns whether this changed it. */
export async function setIntended(tx: Tx, messageId: string, isIntended: boolean): Promise<boolean> {
  const [was] = await tx.run(query`update message set is_intended = ${isIntended}
    where workspace_id = ${tx.workspaceId} and id = ${messageId} and is_intended = ${!isIntended} returning id`)
  return was !== undefined
}

/** Counts a reply that is back in its thread. */
export async function countReply(tx: Tx, threadId: string): Promise<void> {
  await tx.one(
    query`update thread set bot_streak = bot_streak + 1, held = null
      where workspace_id = ${tx.workspaceId} and id = ${threadId} returning id`,
    'not_found',
  )
}

/** Stops counting a reply that is no longer in its thread. */
export async function uncountReply(tx: Tx, threadId: string): Promise<void> {
  await tx.one(
    query`update thread set bot_streak = greatest(bot_streak - 1, 0)
      where workspace_id = ${tx.workspaceId} and id = ${threadId} returning id`,
    'not_found',
  )
}
