import { query, sql } from '../core/platform/db.ts'
import type { Tx } from '../core/platform/scope.ts'
import type { Inbound } from '../networks/network.ts'
import { supersede } from './bot/drafts.ts'
import { decideAbout } from './bot/incoming.ts'

/** A change to a message that the network has reported before. */
export type MessageChange = Extract<Inbound, { kind: 'edit' | 'remove' | 'hide' | 'reaction' }>

export const isChange = (event: Inbound): event is MessageChange =>
  event.kind === 'edit' || event.kind === 'remove' || event.kind === 'hide' || event.kind === 'reaction'

/**
 * Applies a change, whatever came before it. The latest edit, state and reaction win, by number and time, and a removal
 * is final. Returns whether the message exists here. Locks the thread before the message, like everything that a person
 * does with the message.
 */
export async function applyChange(tx: Tx, accountId: string, event: MessageChange, at: Date): Promise<boolean> {
  const [message] = await tx.run(query<{
    id: string
    threadId: string
    isCustomers: boolean
  }>`select id, thread_id, direction = 'IN' as is_customers from message
    where workspace_id = ${tx.workspaceId} and account_id = ${accountId} and external_id = ${event.id}`)
  if (!message) return false
  await tx.one(
    query`select from thread where workspace_id = ${tx.workspaceId} and id = ${message.threadId} for no key update`,
    'not_found',
  )
  const [changed] = await tx.run(statement(tx, message.id, event, at))
  if (!changed) return true
  const isText = event.kind === 'edit' || event.kind === 'remove'
  if (isText && message.isCustomers) {
    await tx.one(
      query`update thread t set revision = t.revision + 1, unanswered_at = ${firstUnanswered(sql`n.last_answer`)}, updated_at = ${tx.now}
        from ${lastMessages(tx, message.threadId)} n where t.workspace_id = ${tx.workspaceId} and t.id = ${message.threadId} returning t.id`,
      'not_found',
    )
    await decideAbout(tx, message.threadId, null)
  }
  tx.emit({ kind: 'conversation', id: message.threadId })
  return true
}

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

/**
 * Ends what the bot has begun in a thread, because a person's answer that had failed is sent after all. The caller has
 * locked the thread.
 */
export async function endForAnswer(tx: Tx, threadId: string): Promise<void> {
  await supersede(tx, threadId, 'a person answered')
  await tx.one(
    query`update thread set revision = revision + 1, held = null, updated_at = ${tx.now}
      where workspace_id = ${tx.workspaceId} and id = ${threadId} returning id`,
    'not_found',
  )
}

function statement({ workspaceId }: Tx, id: string, event: MessageChange, at: Date) {
  switch (event.kind) {
    case 'edit':
      return query`update message set text = ${event.text}, edit_number = ${event.number}, edited_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and removed_at is null
          and (${event.number}::int, ${at}::timestamptz, ${event.text}) > (edit_number, coalesce(edited_at, '-infinity'), coalesce(text, ''))
        returning id`
    case 'remove':
      return query`update message set text = null, removed_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and removed_at is null returning id`
    case 'hide':
      return query`update message set hidden_at = ${event.hidden ? at : null}, hide_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and ${at}::timestamptz > coalesce(hide_at, '-infinity') returning id`
    case 'reaction':
      return query`update message set reaction = ${event.reaction}, reaction_at = ${at}
        where workspace_id = ${workspaceId} and id = ${id} and ${at}::timestamptz > coalesce(reaction_at, '-infinity') returning id`
  }
}
