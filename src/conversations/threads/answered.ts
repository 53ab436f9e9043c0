import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { assignedTo } from './assignment.ts'
import { HUMAN_WINDOW, WINDOW } from './rules.ts'

// Whether a customer waits for an answer, and since when.

/**
 * Selects since when the customer of thread `t` waits: the time of the first message after our last answer that the
 * customer has not removed.
 */
const firstUnanswered = (
  lastAnswer: ReturnType<typeof sql>,
) => sql`(select min(m.at) from message m where m.workspace_id = t.workspace_id
  and m.thread_id = t.id and m.direction = 'IN' and m.removed_at is null and (${lastAnswer} is null or m.at > ${lastAnswer}))`

/** A delivery whose settlement leaves with the commit, and so is not in the database yet. */
interface EndingDelivery {
  deliveryId: string
  failed: boolean
}

/** Whether a message of the bot only says that a person will answer. `message` is its alias in the statement. */
export const isHandoff = (message: ReturnType<typeof sql>) =>
  sql<boolean>`(${message}.source = 'BOT_AUTO' and exists (select from decision w where w.workspace_id = ${message}.workspace_id
    and w.id = ${message}.decision_id and w.verdict = 'ESCALATED'))`

/**
 * Selects when a thread last had a message from the customer, one to them, and an answer. A message that failed, or that
 * the bot only plans, did not answer anyone.
 */
const lastMessages = (tx: Tx, threadId: string, ending?: EndingDelivery) => sql`(
  select max(at) filter (where direction = 'IN') as last_in, max(at) filter (where is_sent) as last_out,
    max(at) filter (where is_sent and not is_handoff) as last_answer
  from (select m.at, m.direction, ${isHandoff(sql`m`)} as is_handoff, m.direction = 'OUT' and m.is_intended
      and case when d.id = ${ending?.deliveryId ?? null} then not ${ending?.failed ?? false} else d.state is distinct from 'FAILED' end as is_sent
    from message m left join delivery d on d.workspace_id = m.workspace_id and d.message_id = m.id
    where m.workspace_id = ${tx.workspaceId} and m.thread_id = ${threadId}) written)`

/**
 * Recomputes since when the customer of a thread waits. The caller has locked the thread. People may be notified again
 * of a wait that seemed to be over.
 */
export async function recountAnswers(tx: Tx, threadId: string, ending?: EndingDelivery): Promise<void> {
  await tx.one(
    query`update thread t set last_out_at = n.last_out, unanswered_at = ${firstUnanswered(sql`n.last_answer`)},
        told_wait = case when t.unanswered_at is not null then t.told_wait end, updated_at = ${tx.now}
      from ${lastMessages(tx, threadId, ending)} n
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} returning t.id`,
    'not_found',
  )
}

/** The status and the assignee of a thread before the statement. */
const before = (tx: Tx, threadId: string) => sql`(select status, assignee from thread
  where workspace_id = ${tx.workspaceId} and id = ${threadId})`

/**
 * Recomputes the times of a thread from all its messages, so that their order does not matter. A customer's message
 * opens a closed or snoozed thread, and ends its hold if our own side answered.
 */
export async function touchThread(
  tx: Tx,
  threadId: string,
  { own, isDirect, humanAgent }: { own: boolean; isDirect: boolean; humanAgent: boolean },
): Promise<void> {
  const waitsSince = firstUnanswered(sql`n.last_answer`)
  // An answered message makes no later one urgent, and an urgency that a person set ends with its conversation.
  const begins = sql`(not ${own} and (t.status = 'CLOSED' or t.urgency_by = 'message' and t.unanswered_at is null and ${waitsSince} is not null))`
  const { isOpened } = await tx.one(
    query<{
      isOpened: boolean
    }>`update thread t set revision = t.revision + 1, last_in_at = n.last_in, last_out_at = n.last_out,
        unanswered_at = ${waitsSince},
        window_until = case when ${isDirect} then n.last_in + ${`${WINDOW} milliseconds`}::interval end,
        human_until = case when ${isDirect} then n.last_in + ${`${humanAgent ? HUMAN_WINDOW : WINDOW} milliseconds`}::interval end,
        opened_at = case when t.status = 'CLOSED' and not ${own} then n.last_in else t.opened_at end,
        urgency = case when ${begins} then 'MEDIUM' else t.urgency end, urgency_by = case when ${begins} then null else t.urgency_by end,
        held = case when ${own} and ${waitsSince} is null then null else t.held end,
        status = case when ${own} or t.status = 'ESCALATED' then t.status else 'OPEN' end,
        snoozed_until = case when ${own} then t.snoozed_until end,
        bot_paused_at = case when ${own} then coalesce(t.bot_paused_at, ${tx.now}) else t.bot_paused_at end, updated_at = ${tx.now}
      from ${lastMessages(tx, threadId)} n, ${before(tx, threadId)} was
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId}
      returning was.status in ('CLOSED', 'SNOOZED') and t.status = 'OPEN' as is_opened`,
    'not_found',
  )
  if (isOpened) tx.record({ type: 'thread.opened', subject: { threadId } })
}

/**
 * Recomputes since when a customer who edited or removed a message waits, and raises the revision. The caller has
 * locked the thread.
 */
export async function recountForChange(tx: Tx, threadId: string): Promise<void> {
  await tx.one(
    query`update thread t set revision = t.revision + 1, unanswered_at = ${firstUnanswered(sql`n.last_answer`)}, updated_at = ${tx.now}
      from ${lastMessages(tx, threadId)} n where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} returning t.id`,
    'not_found',
  )
}

/**
 * Ends the wait and the hold because a person answers. The first one who answers becomes the assignee. The caller has
 * locked the thread.
 */
async function endWait(
  tx: Tx,
  threadId: string,
  userId: string,
  { columns = sql``, condition = sql`true` } = {},
): Promise<void> {
  const { isAssigned } = await tx.one(
    query<{
      isAssigned: boolean
    }>`update thread t set revision = revision + 1, last_out_at = ${tx.now}, unanswered_at = null, held = null, bot_streak = 0,
        version = version + (t.assignee is null)::int, assignee = coalesce(t.assignee, ${userId}), updated_at = ${tx.now} ${columns}
      from ${before(tx, threadId)} was
      where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} and ${condition}
      returning was.assignee is null as is_assigned`,
    'newer_message',
  )
  if (isAssigned) tx.record(assignedTo(threadId, userId))
}

/** Ends the wait because a person answers, and pauses the bot. */
export const endWaitForAnswer = (tx: Tx, threadId: string, userId: string): Promise<void> =>
  endWait(tx, threadId, userId, { columns: sql`, bot_paused_at = coalesce(t.bot_paused_at, ${tx.now})` })

/**
 * Ends the wait because a person sends a draft of the bot, which does not pause the bot. Throws `newer_message` if
 * someone wrote after the given revision.
 */
export const endWaitForApproval = (
  tx: Tx,
  threadId: string,
  { revision, userId }: { revision: number; userId: string },
): Promise<void> => endWait(tx, threadId, userId, { condition: sql`t.revision = ${revision}` })

/** Ends the hold because an answer that had failed is sent after all. The caller has locked the thread. */
export async function endHoldForAnswer(tx: Tx, threadId: string): Promise<void> {
  await tx.one(
    query`update thread set revision = revision + 1, held = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${threadId} returning id`,
    'not_found',
  )
}
