import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'

// Whether a customer waits for an answer, and since when.

/**
 * Selects since when the customer of thread `t` waits: the time of the first message after our last answer that the
 * customer has not removed.
 */
export const firstUnanswered = (
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
export const lastMessages = (tx: Tx, threadId: string, ending?: EndingDelivery) => sql`(
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
