import { findLanguage } from '../../assistant/ai/ai-language.ts'
import type { Use } from '../../core/platform/model/model.ts'
import { query } from '../../core/platform/db.ts'
import type { DomainEvent } from '../../core/platform/record.ts'
import type { Tx } from '../../core/platform/scope.ts'
import { countPraise, learnLanguage } from '../audience/heat.ts'
import { countConversion, countDrafted } from '../experiments/experiments.ts'
import { holdThread, storeClassification, takeHandoffText } from '../threads/by-bot.ts'
import { handOverThread } from '../escalation/escalation.ts'
import { remember } from '../memory/memory.ts'
import { tellNoCredits } from '../threads/notices.ts'
import { fits } from '../threads/rules.ts'
import { type BegunDecision, conclude } from './decisions.ts'
import { decide, escalatedBy, type Next, ruleByWords } from './decide.ts'
import { type Classification, type DecisionFacts, isFailed } from './decision-facts.ts'
import { type Addressee, keepDraft, writeReply } from './drafts.ts'
import { isBotsFirst, ruleOf } from './facts.ts'
import { opensAt } from './hours.ts'
import { cutToFit, disclosed } from './written.ts'

// Carries out the result of a decision in the transaction that ends it. The caller has locked the thread.

/** The bot left a message to people. `concerned` are the members who answer the thread. */
export interface ReplyHeld extends DomainEvent {
  type: 'reply.held'
  subject: { threadId: string }
  data: { why: string; by: 'bot' }
  context: { concerned: readonly string[] }
}

type Ending = Pick<BegunDecision, 'id' | 'fence' | 'kind'> & {
  threadId: string
  messageId: string
  state: 'RUNNING' | 'SENDING'
  to: Addressee
}

type Ended = Extract<Next, { do: 'end' }>

/**
 * Ends a decision about a thread, with all consequences. Its reservations are kept as long as its reply can still be
 * sent.
 */
export async function carryOut(tx: Tx, ending: Ending, facts: DecisionFacts, use: Use | null): Promise<void> {
  const { threadId, messageId, id, to } = ending
  const { next, log } = decide(facts)
  const heard = heardIn(facts)
  if (heard?.sentiment === 'positive') {
    await countConversion(tx, threadId)
    await countPraise(tx, messageId)
  }
  const reply = { threadId, messageId, decisionId: id, to }
  if (ending.state === 'RUNNING') await learn(tx, reply, facts)
  if (next.do === 'send') {
    await tx.together(() => [
      storeHeard(tx, threadId, heard),
      conclude(tx, ending, { id, facts, use, to: 'SENDING', cost: { keep: null } }),
      writeReply(tx, { ...reply, text: next.text }, null),
    ])
    return
  }
  if (next.do !== 'end') throw new Error(`A decision cannot end with ${next.do}`)
  await storeHeard(tx, threadId, heard)
  const isDraft = next.verdict === 'HELD' && isWritten(facts)
  const keep = isDraft ? await keepDraft(tx, reply, facts, to.kind === 'private_reply') : null
  await conclude(tx, ending, { id, facts, use, to: 'DONE', cost: costOf(next, isDraft, keep) })
  switch (next.verdict) {
    case 'ESCALATED': {
      const ruleId = escalatedBy(log)
      await handOverThread(tx, threadId, ruleId === undefined ? undefined : await ruleOf(tx, ruleId))
      if (ending.kind === 'bot') await sayHandoff(tx, reply, facts)
      return
    }
    case 'HELD':
      await hold(tx, threadId, next.hold)
      return
    case 'EXPIRED':
      await hold(tx, threadId, 'window')
      return
    case 'IGNORED':
    case 'QUIET': {
      // These end before the step of the rules. Words escalate without the bot, too.
      const held = ruleByWords(facts)
      const rule = held && (await ruleOf(tx, held.id))
      if (rule) await handOverThread(tx, threadId, rule)
      return
    }
    default:
      return
  }
}

const costOf = ({ verdict }: Ended, isDraft: boolean, keep: Date | null) =>
  verdict === 'SENT' ? 'charge' : isDraft ? { keep } : 'release'

/** Whether there is a reply that a person can send. */
const isWritten = ({ reply }: DecisionFacts) =>
  reply !== undefined && !isFailed(reply) && reply.action === 'reply' && reply.text.trim() !== ''

/** Returns the classification of a customer's message, if there is one. */
const heardIn = ({ classification, kind }: DecisionFacts): Classification | undefined =>
  classification && !isFailed(classification) && kind !== 'simulate' ? classification : undefined

/**
 * Stores the classification in the thread, for the people who answer it, and the language of the customer. Praise is
 * counted before this, because that locks the identity and this locks only the customer.
 */
async function storeHeard(tx: Tx, threadId: string, heard: Classification | undefined): Promise<void> {
  if (!heard) return
  const known = findLanguage(heard.language)
  await tx.together(() => [
    storeClassification(tx, threadId, heard),
    ...(known ? [learnLanguage(tx, threadId, known.code)] : []),
  ])
}

/** Remembers what customers said about themselves, and counts the reply in its experiment. */
async function learn(tx: Tx, { threadId, messageId }: { threadId: string; messageId: string }, facts: DecisionFacts) {
  const { reply, message, told, kind } = facts
  if (!reply || isFailed(reply)) return
  if (message.kind === 'DM' && reply.remember) {
    await remember(tx, { threadId, messageId, message: message.text }, reply.remember)
  }
  if (kind === 'bot' && reply.action === 'reply' && told?.strategy) await countDrafted(tx, threadId, told.strategy)
}

/** Leaves the newest message of a thread to people, and notifies them. */
export async function hold(tx: Tx, threadId: string, why: string): Promise<void> {
  const concerned = await holdThread(tx, threadId, why)
  tx.record({
    type: 'reply.held',
    subject: { threadId },
    data: { why, by: 'bot' },
    context: { concerned },
  } satisfies ReplyHeld)
  if (why === 'no_credits') await tellNoCreditsOnce(tx)
}

/** Notifies owners and admins, at most once a day. */
async function tellNoCreditsOnce(tx: Tx): Promise<void> {
  if (await isToTellNoCredits(tx)) await tellNoCredits(tx)
}

const TELL_NO_CREDITS_EVERY = 24 * 3_600_000

/**
 * Returns whether the last notice of this kind is old enough, and records this one. It does not wait for the
 * configuration, because the guard of a reply locks it before the decisions, whose lock the caller holds. While it is
 * locked there may be a second notice, but none is lost.
 */
async function isToTellNoCredits(tx: Tx): Promise<boolean> {
  const before = new Date(tx.now.getTime() - TELL_NO_CREDITS_EVERY)
  const due = await tx.run(query`select from bot_config where workspace_id = ${tx.workspaceId}
    and (told_no_credits_at is null or told_no_credits_at < ${before})`)
  if (due.length === 0) return false
  await tx.run(query`update bot_config set told_no_credits_at = ${tx.now} where workspace_id in (select workspace_id from bot_config
    where workspace_id = ${tx.workspaceId} for no key update skip locked)`)
  return true
}

/**
 * Tells the customer that a person will answer, once per conversation, and only within working hours. The disclosure
 * comes first if this is the first message of the bot. A text that is too long for the network is cut.
 */
async function sayHandoff(
  tx: Tx,
  reply: { threadId: string; messageId: string; decisionId: string; to: Addressee },
  { config: { hours }, message: { platform } }: DecisionFacts,
): Promise<void> {
  if (hours !== null && opensAt(tx.now, hours) !== null) return
  const said = await takeHandoffText(tx, reply.threadId, isBotsFirst)
  if (!said) return
  const text = cutToFit(disclosed(said.disclosure, said.text), (each) => fits(each, platform, reply.to.kind))
  await writeReply(tx, { ...reply, text }, null)
}
