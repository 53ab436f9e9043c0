import { AppError } from '../../core/errors.ts'
import { query } from '../../core/platform/db.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { errorFor, type Verdict } from '../../delivery/rules.ts'
import { recountAnswers } from '../threads/answered.ts'
import { countReply, endUnconfirmed, setIntended, showReply, uncountReply } from '../threads/by-bot.ts'
import { countServed } from '../experiments/experiments.ts'
import { countHits } from '../memory/memory.ts'
import { conclude, eraseIfRemoved, type Stored } from './decisions.ts'
import { sameKnowledge } from './facts.ts'
import type { DecisionFacts, Delivered } from './decision-facts.ts'
import type { Knowledge } from './knowledge.ts'
import { addresseeOf, endDrafts } from './drafts.ts'
import { type Hours, opensAt } from './hours.ts'
import { carryOut, hold } from './outcomes.ts'

// What a reply of the bot adds to its delivery: everything is read again when the intent is written, and the decision
// records how the delivery ended.

interface Guarded {
  decisionId: string
  state: string
  verdict: string | null
  isSame: boolean
  /** Whether somebody has written to the customer since the message. */
  isAnswered: boolean
  status: string
  isPaused: boolean
  isEnabled: boolean
  isBelowCap: boolean
  isCounted: boolean
  isInWindow: boolean
  /** Whether another message to the customer is on its way, or may have arrived. */
  hasOther: boolean
  /** Null means at any time. */
  hours: Hours | null
}

/**
 * Decides once more whether a reply of the bot is sent, and counts it if so. Returns null to send it. The thread is
 * locked, and its account, its workspace, its plan and the configuration cannot change meanwhile: no intent follows a
 * pause that was confirmed.
 */
export async function guardReply(tx: Tx, threadId: string, messageId: string): Promise<Verdict | null> {
  // The next statement would see the deliveries as they were before it waited for this lock.
  tx.lock(query`select from thread where workspace_id = ${tx.workspaceId} and id = ${threadId} for update`)
  const [row] =
    await tx.run(query<Guarded>`select d.id as decision_id, d.state, d.verdict, t.revision = d.revision as is_same, t.status,
      exists (select from message p where p.workspace_id = t.workspace_id and p.thread_id = t.id and p.direction = 'OUT'
        and p.is_intended and p.id <> m.id and p.id > d.message_id) as is_answered,
      t.bot_paused_at is not null or w.bot_paused_at is not null as is_paused,
      c.is_enabled and exists (select from plan_feature f where f.plan_id = s.plan_id and f.feature_id = 'auto_reply') as is_enabled,
      t.bot_streak - m.is_intended::int < c.max_auto_replies_per_thread as is_below_cap, m.is_intended as is_counted,
      coalesce(app_now() < t.window_until - interval '60 seconds', true) as is_in_window,
      exists (select from delivery o join message p on p.workspace_id = o.workspace_id and p.id = o.message_id and p.is_intended
        where o.workspace_id = t.workspace_id and o.thread_id = t.id and o.message_id <> m.id and o.kind <> 'hide'
          and o.state in ('PENDING', 'PREPARING', 'SUBMITTING', 'UNCONFIRMED')) as has_other,
      case when c.working_hours_only then json_build_object('start', c.working_hours_start, 'end', c.working_hours_end,
        'zone', c.working_timezone) end as hours
    from thread t join message m on m.workspace_id = t.workspace_id and m.id = ${messageId}
    join decision d on d.workspace_id = m.workspace_id and d.id = m.decision_id
    join workspace w on w.id = t.workspace_id
    join subscription s on s.workspace_id = t.workspace_id
    join bot_config c on c.workspace_id = t.workspace_id
    join social_account a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where t.workspace_id = ${tx.workspaceId} and t.id = ${threadId} for update of t for no key update of c for share of w, a, s`)
  const why = row ? stopped(row, tx.now) : 'superseded'
  if (!row || why !== null) {
    await endSending(tx, messageId, why ?? 'superseded')
    return { state: 'FAILED', error: errorFor('superseded/answer') }
  }
  // A customer who is told that a person will answer still waits for that person.
  await showReply(tx, { threadId, messageId }, { isCounted: row.isCounted, stillWaits: isHandOver(row) })
  // A draft that a person requested in the meantime would answer the same message again.
  await endDrafts(tx, threadId)
  tx.emit({ kind: 'conversation', id: threadId })
  return null
}

const isHandOver = ({ state, verdict }: Guarded) => state === 'DONE' && verdict === 'ESCALATED'

/**
 * Returns why a reply is not sent after all, or null. A hand-off text is sent in a thread that its decision has
 * escalated, also after a further message of the customer, which no decision answers.
 */
function stopped(row: Guarded, now: Date): Exclude<Delivered, 'sent'> | null {
  const isHandedOver = isHandOver(row)
  if (!isHandedOver && row.state !== 'SENDING') return 'superseded'
  if (isHandedOver ? row.isAnswered : !row.isSame) return 'superseded'
  if (row.status !== (isHandedOver ? 'ESCALATED' : 'OPEN')) return 'superseded'
  if (row.isPaused || !row.isEnabled) return 'paused'
  if (row.hasOther) return 'not_delivered'
  if (!row.isBelowCap) return 'cap'
  if (!row.isInWindow) return 'window'
  return row.hours !== null && opensAt(now, row.hours) !== null ? 'outside_hours' : null
}

interface Sending {
  id: string
  fence: number
  messageId: string
  threadId: string
  facts: Stored
  knowledgeHash: string | null
  knowledge: Knowledge | null
  isOld: boolean
}

/** Ends the decision whose reply was being sent. Does nothing if it has already ended. */
async function endSending(tx: Tx, messageId: string, sent: Delivered): Promise<void> {
  const id = await concludeSending(tx, messageId, sent)
  if (id !== undefined) await eraseIfRemoved(tx, id)
}

async function concludeSending(tx: Tx, messageId: string, sent: Delivered): Promise<string | undefined> {
  const [row] = await tx.run(query<Sending>`select d.id, d.fence, d.message_id, d.thread_id, d.facts,
      d.knowledge_hash, (select json_build_object('faqEntries', k.faq_entries, 'knowledgeBase', k.knowledge_base) from bot_knowledge k
        where k.workspace_id = d.workspace_id and k.hash = d.knowledge_hash) as knowledge,
      t.revision <> d.revision as is_old
    from message m join decision d on d.workspace_id = m.workspace_id and d.id = m.decision_id
    join thread t on t.workspace_id = d.workspace_id and t.id = d.thread_id
    where m.workspace_id = ${tx.workspaceId} and m.id = ${messageId} and d.state = 'SENDING' for update of d`)
  if (!row) return undefined
  const { config, ...stored } = row.facts
  const at = tx.now.toISOString()
  const knowledge = sameKnowledge(tx.workspaceId, row.knowledgeHash, row.knowledge)
  const facts: DecisionFacts = {
    ...stored,
    config: { ...config, ...knowledge },
    // Someone has written since, so this reply must not be sent by a person either.
    sent: sent === 'not_delivered' && row.isOld ? 'superseded' : sent,
    now: at,
    at: { ...stored.at, sent: at },
  }
  const from = { id: row.id, fence: row.fence, state: 'SENDING' } as const
  if (sent === 'sent') {
    // Experiments are locked before the turns of decisions, as by `carryOut`.
    await countServed(tx, row.threadId)
    await conclude(tx, from, { id: row.id, facts, use: null, to: 'DONE', cost: 'charge' })
    await endUnconfirmed(tx, row.threadId)
    if (facts.told?.memory) await countHits(tx, facts.told.memory)
    return row.id
  }
  const to = await addresseeOf(tx, row.threadId, row.messageId, { except: messageId })
  if (!to) throw new AppError('not_found')
  await carryOut(tx, { ...from, kind: 'bot', threadId: row.threadId, messageId: row.messageId, to }, facts, null)
  return row.id
}

/** Leaves a reply of the bot that may or may not be at the network to a person. */
export const replyUnconfirmed = (tx: Tx, threadId: string) => hold(tx, threadId, 'unconfirmed')

/** Records that a reply of the bot is at the network, or is certainly not. The settlement has locked the thread. */
export async function replySettled(
  tx: Tx,
  threadId: string,
  { messageId, deliveryId, isSent }: { messageId: string; deliveryId: string; isSent: boolean },
): Promise<void> {
  if (isSent) await restore(tx, threadId, { messageId, deliveryId })
  else await withdraw(tx, threadId, messageId)
  await endSending(tx, messageId, isSent ? 'sent' : 'not_delivered')
}

/** Puts a reply that seemed unsent back in its thread, so that no person sends its draft too. */
async function restore(
  tx: Tx,
  threadId: string,
  { messageId, deliveryId }: { messageId: string; deliveryId: string },
): Promise<void> {
  if (!(await setIntended(tx, messageId, true))) return
  await endDrafts(tx, threadId)
  await countReply(tx, threadId)
  await recountAnswers(tx, threadId, { deliveryId, failed: false })
}

/** Removes an unsent reply from its thread: the customer waits again, and the reply does not count for the cap. */
async function withdraw(tx: Tx, threadId: string, messageId: string): Promise<void> {
  if (!(await setIntended(tx, messageId, false))) return
  await uncountReply(tx, threadId)
  await recountAnswers(tx, threadId)
}
