import { query, sql } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import { answerersAmong } from './answerers.ts'
import { ANSWER_WITHIN, CLOSED_AFTER } from './rules.ts'
import { CLOSING } from './threads.ts'

// Threads whose time has come: customers who wait too long, and conversations that the bot has ended.

/** Returns for each urgency the latest start of a wait that is too long by now, as JSON. */
export const lateSince = (now: Date) =>
  JSON.stringify(
    Object.entries(ANSWER_WITHIN).map(([urgency, within]) => ({ urgency, since: new Date(now.getTime() - within) })),
  )

/** Returns the latest answer of the bot whose thread is closed by now. */
export const closedSince = (now: Date) => new Date(now.getTime() - CLOSED_AFTER)

/**
 * Marks each wait that is too long as told, once. Returns the threads with their assignees who may answer. On a plan
 * without conversations nobody can answer, so these waits are told once a plan has them again.
 */
export const takeLate = (tx: Tx) =>
  tx.run(query<{ id: string; concerned: string[] }>`
    update thread t set told_wait = t.unanswered_at
    from jsonb_to_recordset(${lateSince(tx.now)}::jsonb) as late(urgency text, since timestamptz), workspace w
    where t.workspace_id = ${tx.workspaceId} and w.id = t.workspace_id and w.deleted_at is null
      and ${isInPlan(sql`t.workspace_id`, 'auto_reply')} and late.urgency = t.urgency and t.unanswered_at <= late.since
      and t.status in ('OPEN', 'ESCALATED') and t.told_wait is distinct from t.unanswered_at
    returning t.id, ${answerersAmong(sql`t.workspace_id`, sql`t.assignee`)} as concerned`)

/** Closes threads that the bot answered last, if the customer has not come back for a day. Returns them. */
export const takeAnswered = (tx: Tx) =>
  tx.run(query<{
    id: string
    accountId: string
  }>`update thread t set ${CLOSING}, version = version + 1, updated_at = ${tx.now}
    where t.workspace_id = ${tx.workspaceId} and t.status = 'OPEN' and t.bot_streak > 0 and t.unanswered_at is null
      and t.last_out_at < ${closedSince(tx.now)}
      and (select m.source from message m where m.workspace_id = t.workspace_id and m.thread_id = t.id and m.is_intended
        and m.direction <> 'INTERNAL' order by m.at desc, m.id desc limit 1) = 'BOT_AUTO'
      and not exists (select from delivery d where d.workspace_id = t.workspace_id and d.thread_id = t.id
        and d.state in ('PENDING', 'PREPARING', 'SUBMITTING', 'UNCONFIRMED'))
    returning t.id, t.account_id`)
