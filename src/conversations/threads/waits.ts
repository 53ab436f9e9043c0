import { query, sql } from '../../core/platform/db.ts'
import type { Scopes, Tx } from '../../core/platform/scope.ts'
import { isInPlan } from '../../team/plans/plans.ts'
import { answerersAmong } from './answerers.ts'
import { ANSWER_WITHIN, CLOSED_AFTER } from './rules.ts'
import { CLOSING } from './threads.ts'

// Customers who wait too long, and threads that close because the bot answered last.

/** Selects for each urgency the latest start of a wait that is too long by now. */
function lateSince(now: Date) {
  const starts = Object.entries(ANSWER_WITHIN).map(([urgency, within]) => ({
    urgency,
    since: new Date(now.getTime() - within),
  }))
  return sql`jsonb_to_recordset(${JSON.stringify(starts)}::jsonb) as late(urgency text, since timestamptz)`
}

/**
 * Whether the customer of thread `t` in workspace `w` waits too long, and people are not told. On a plan without
 * conversations nobody can answer, so these waits are told once a plan has them again.
 */
const isLate = sql`w.id = t.workspace_id and w.deleted_at is null and ${isInPlan(sql`t.workspace_id`, 'auto_reply')}
  and late.urgency = t.urgency and t.unanswered_at <= late.since and t.status in ('OPEN', 'ESCALATED')
  and t.told_wait is distinct from t.unanswered_at`

/** Returns the workspaces with waits that are too long. */
export const findLate = (scopes: Pick<Scopes, 'ask'>, now: Date) =>
  scopes.ask(
    'inbox',
    query<{ id: string }>`select distinct t.workspace_id as id from thread t, ${lateSince(now)}, workspace w
      where ${isLate} and t.unanswered_at is not null`,
  )

/** Marks each wait that is too long as told, once. Returns the threads with their assignees who may answer. */
export const markLateWaits = (tx: Tx) =>
  tx.run(query<{ id: string; concerned: string[] }>`
    update thread t set told_wait = t.unanswered_at from ${lateSince(tx.now)}, workspace w
    where t.workspace_id = ${tx.workspaceId} and ${isLate}
    returning t.id, ${answerersAmong(sql`t.workspace_id`, sql`t.assignee`)} as concerned`)

/** Returns the time before which the bot's last answer must lie for its thread to close. */
const closesBefore = (now: Date) => new Date(now.getTime() - CLOSED_AFTER)

/** Whether the customer of thread `t` was answered, and has not come back for a day. */
const isAnswered = (now: Date) => sql`t.status = 'OPEN' and t.bot_streak > 0 and t.unanswered_at is null
  and t.last_out_at < ${closesBefore(now)}`

/** Returns the workspaces with threads that the bot may have answered last. */
export const findAnswered = (scopes: Pick<Scopes, 'ask'>, now: Date) =>
  scopes.ask(
    'inbox',
    query<{ id: string }>`select distinct t.workspace_id as id from thread t where ${isAnswered(now)}`,
  )

/** Closes threads that the bot answered last, if the customer has not come back for a day. Returns them. */
export const closeAnsweredByBot = (tx: Tx) =>
  tx.run(query<{
    id: string
    accountId: string
  }>`update thread t set ${CLOSING}, updated_at = ${tx.now}
    where t.workspace_id = ${tx.workspaceId} and ${isAnswered(tx.now)}
      and (select m.source from message m where m.workspace_id = t.workspace_id and m.thread_id = t.id and m.is_intended
        and m.direction <> 'INTERNAL' order by m.at desc, m.id desc limit 1) = 'BOT_AUTO'
      and not exists (select from delivery d where d.workspace_id = t.workspace_id and d.thread_id = t.id
        and d.state in ('PENDING', 'PREPARING', 'SUBMITTING', 'UNCONFIRMED'))
    returning t.id, t.account_id`)
