import { termsIn } from '../../assistant/ai/words/rules.ts'
import { holds, holdsByWords } from '../escalation/rules.ts'
import { type DecisionFacts, type Delivered, isFailed, judgedText, type ThreadFacts } from './decision-facts.ts'
import type { HeldFor, VERDICTS } from '../decisions/api.ts'
import { opensAt } from './hours.ts'
import { classificationOf, confidenceFor, passagesFor, textOf, vetoesFor } from './written.ts'

// Decides about one message of a customer, as a pure function of facts. Whenever more is known, it runs again from the
// top. `next` is the missing fact or the verdict.

/** Rises with every change to a rule. The same version gives the same log for the same facts, byte for byte. */
export const RULES_VERSION = 10

type Unheld = Exclude<(typeof VERDICTS)[number], 'HELD'>

export type Next =
  | { do: 'classify' | 'reserve' | 'generate' | 'read_again' }
  | { do: 'wait'; until: string; why: 'hours' | 'delay' }
  | { do: 'send'; text: string }
  | { do: 'end'; verdict: 'HELD'; hold: HeldFor }
  | { do: 'end'; verdict: Unheld }

/** A step of the log that people read. */
export interface DecisionStep {
  step: string
  input: unknown
  outcome: string
  at: string
}

interface Taken {
  input: unknown
  outcome: string
  at: string
  /** The end of the decision, or the missing fact. If absent, the next step follows. */
  next?: Next
}

const end = (verdict: Unheld): Next => ({ do: 'end', verdict })
const heldFor = (hold: HeldFor): Next => ({ do: 'end', verdict: 'HELD', hold })

/**
 * Milliseconds before the end of a window from which the bot no longer answers, because the call may arrive too late.
 */
const BEFORE_END = 60_000

const windowIsOver = ({ windowUntil }: Pick<ThreadFacts, 'windowUntil'>, now: string) =>
  windowUntil !== null && Date.parse(now) >= Date.parse(windowUntil) - BEFORE_END

/** Returns why the bot stays silent in a thread, or undefined if it does not. */
function quietFor({
  status,
  botPaused,
  workspacePaused,
}: Pick<ThreadFacts, 'status' | 'botPaused' | 'workspacePaused'>) {
  if (status === 'ESCALATED') return 'escalated'
  return botPaused ? 'paused' : workspacePaused ? 'paused everywhere' : undefined
}

/** Returns why a message no longer waits for the bot, or undefined: a person has the thread, or stopped the bot. */
function takenOver(again: NonNullable<DecisionFacts['again']>) {
  if (again.status !== 'OPEN') return `the thread is ${again.status}`
  if (!again.isEnabled) return 'the bot is off'
  return quietFor(again) && 'the bot is paused'
}

/** Returns the end of a decision that failed too often, for the state in which its thread is now. */
export function judgeFailed({ kind, again }: Pick<DecisionFacts, 'kind' | 'again'>): {
  outcome: string
  verdict: 'HELD' | 'SUPERSEDED'
} {
  const taken = kind === 'bot' && again ? takenOver(again) : undefined
  return taken === undefined ? { outcome: 'failed', verdict: 'HELD' } : { outcome: taken, verdict: 'SUPERSEDED' }
}

/** Returns the first rule that words alone fulfil. */
export const ruleByWords = ({ message, rules }: DecisionFacts) =>
  rules.find((rule) => holdsByWords(rule, judgedText(message)))

/** Ends a decision that failed too often. */
function failed({ error, again, kind }: DecisionFacts): Taken | undefined {
  if (!error) return undefined
  const { outcome, verdict } = judgeFailed({ again, kind })
  const next = verdict === 'HELD' ? heldFor('error') : end(verdict)
  return { input: { failures: error.failures }, outcome, at: error.at, next }
}

/** The steps in order. Each reads only the facts, never the results of earlier steps. */
const steps: readonly [name: string, take: (facts: DecisionFacts) => Taken | undefined][] = [
  [
    'newer_message',
    ({ superseded }) =>
      superseded && { input: null, outcome: superseded.why, at: superseded.at, next: end('SUPERSEDED') },
  ],
  [
    'error',
    (facts) => {
      const { error, again } = facts
      if (!error?.isRead) return failed(facts)
      if (!again) return { input: null, outcome: 'needed', at: error.at, next: { do: 'read_again' } }
      // The words of the message are judged first.
      return again.status === 'OPEN' ? undefined : failed(facts)
    },
  ],
  [
    'own_or_duplicate',
    ({ message, at }) => ({
      input: { foreign: message.foreign },
      outcome: message.foreign ?? 'customer',
      at: at.taken,
      ...(message.foreign && { next: end('IGNORED') }),
    }),
  ],
  [
    'bot_enabled',
    ({ config, at }) => ({
      input: { isEnabled: config.isEnabled },
      outcome: config.isEnabled ? 'on' : 'off',
      at: at.taken,
      ...(!config.isEnabled && { next: end('IGNORED') }),
    }),
  ],
  [
    'channel_enabled',
    ({ message: { kind }, config, at }) => {
      const isOn = kind === 'COMMENT' ? config.autoReplyComments : config.autoReplyDMs
      return { input: { kind }, outcome: isOn ? 'on' : 'off', at: at.taken, ...(!isOn && { next: end('IGNORED') }) }
    },
  ],
  [
    'escalation_keyword',
    ({ message, config, at }) => {
      const found = termsIn(judgedText(message), config.escalateKeywords)
      return {
        input: { keywords: config.escalateKeywords.length },
        outcome: found.length > 0 ? `found: ${found.join(', ')}` : 'none',
        at: at.taken,
        ...(found.length > 0 && { next: end('ESCALATED') }),
      }
    },
  ],
  [
    'thread_state',
    // A message in a paused thread is still classified, for the people who answer it.
    ({ thread: { status, botPaused, workspacePaused }, error, at }) => {
      const quiet = quietFor({ status, botPaused, workspacePaused })
      return {
        input: { status, botPaused, workspacePaused },
        outcome: quiet ?? 'answers',
        at: at.taken,
        ...(error && quiet && { next: end('QUIET') }),
      }
    },
  ],
  [
    'blocked_words',
    ({ message, config, at }) => {
      const found = termsIn(judgedText(message), config.blockedTopics)
      return {
        input: { topics: config.blockedTopics.length },
        outcome: found.length > 0 ? `found: ${found.join(', ')}` : 'none',
        at: at.taken,
      }
    },
  ],
  [
    'classify',
    ({ classification, thread, kind, error, at }) => {
      if (error) return undefined
      if (!classification) return { input: null, outcome: 'needed', at: at.taken, next: { do: 'classify' } }
      return {
        input: null,
        outcome: isFailed(classification) ? `failed: ${classification.failed}` : classification.intent,
        at: at.classified ?? at.taken,
        ...(kind === 'bot' && quietFor(thread) && { next: end('QUIET') }),
      }
    },
  ],
  [
    'blocked_topic',
    ({ message, config, classification, at }) => {
      const words = termsIn(judgedText(message), config.blockedTopics)
      const meant =
        classification && !isFailed(classification)
          ? classification.blocked.flatMap((place) => config.blockedTopics[place] ?? [])
          : []
      const found = [...new Set([...words, ...meant])]
      return {
        input: { words, meant },
        outcome: found.length > 0 ? `found: ${found.join(', ')}` : 'none',
        at: at.classified ?? at.taken,
        ...(found.length > 0 && { next: heldFor('blocked_topic') }),
      }
    },
  ],
  [
    'escalation_rules',
    ({ message, rules, classification, at }) => {
      const classified = classification && !isFailed(classification) ? classification : undefined
      const said = {
        text: judgedText(message),
        urgency: classified?.urgency ?? null,
        sentiment: classified?.sentiment ?? null,
        intents: classified ? [classified.intent] : [],
      }
      const rule = rules.find((each) => holds(each, said))
      const why = rule ? `rule ${rule.id}` : classified?.asksHuman ? 'asks for a person' : undefined
      return {
        input: { rules: rules.length, asksHuman: classified?.asksHuman ?? null },
        outcome: why ?? 'none',
        at: at.classified ?? at.taken,
        ...(why !== undefined && { next: end('ESCALATED') }),
      }
    },
  ],
  ['error', failed],
  [
    'classified',
    // Without a classification there is no reply. The steps before this one need only words.
    ({ classification, at }) =>
      classification && isFailed(classification)
        ? {
            input: null,
            outcome: classification.failed,
            at: at.classified ?? at.taken,
            next: heldFor('ai_failed'),
          }
        : undefined,
  ],
  [
    'text',
    // A picture or a sticker without text is left to people.
    ({ message: { text }, at }) =>
      text.trim() === '' ? { input: null, outcome: 'none', at: at.taken, next: heldFor('no_text') } : undefined,
  ],
  [
    'cap',
    ({ thread: { streak }, config: { maxAutoRepliesPerThread: most }, at }) => ({
      input: { streak, most },
      outcome: streak < most ? 'below' : 'reached',
      at: at.taken,
      ...(streak >= most && { next: heldFor('cap') }),
    }),
  ],
  [
    'window',
    ({ thread, message, now, sent, at }) => {
      // The guard of a delivery judges the window when it sends. `now` is then when the delivery ended.
      const isOver = sent === undefined && windowIsOver(thread, now)
      const hold = message.isLate ? 'late' : isOver ? 'window' : undefined
      return {
        input: { windowUntil: thread.windowUntil, isLate: message.isLate },
        outcome: hold ?? 'open',
        at: at.taken,
        ...(hold && { next: heldFor(hold) }),
      }
    },
  ],
  [
    'working_hours',
    ({ config: { hours }, thread, now, reply, at }) => {
      if (hours === null) return { input: null, outcome: 'any time', at: at.taken }
      // The hours are judged again before a reply that is written is sent.
      const opens = reply ? null : opensAt(new Date(now), hours)
      if (opens === null) return { input: hours, outcome: 'open', at: at.taken }
      const until = opens.toISOString()
      return windowIsOver(thread, until)
        ? { input: hours, outcome: 'the window ends first', at: at.taken, next: heldFor('outside_hours') }
        : { input: hours, outcome: `opens ${until}`, at: at.taken, next: { do: 'wait', until, why: 'hours' } }
    },
  ],
  [
    'credits',
    ({ reserved, at }) => {
      if (!reserved) return { input: null, outcome: 'needed', at: at.taken, next: { do: 'reserve' } }
      return {
        input: null,
        outcome: reserved,
        at: at.reserved ?? at.taken,
        ...(reserved === 'no_credits' && { next: heldFor('no_credits') }),
      }
    },
  ],
  [
    'context',
    (facts) => ({
      input: { language: classificationOf(facts).language },
      outcome: `passages: ${
        passagesFor(facts)
          .map(({ id }) => id)
          .join(', ') || 'none'
      }`,
      at: facts.at.reserved ?? facts.at.taken,
    }),
  ],
  [
    'generate',
    ({ reply, kind, at }) => {
      if (!reply) return { input: null, outcome: 'needed', at: at.reserved ?? at.taken, next: { do: 'generate' } }
      const when = at.generated ?? at.taken
      if (isFailed(reply)) {
        const hold = reply.failed === 'interrupted' ? 'interrupted' : 'ai_failed'
        return { input: null, outcome: reply.failed, at: when, next: heldFor(hold) }
      }
      return {
        input: { sources: reply.sources },
        outcome: reply.action,
        at: when,
        ...(reply.action === 'handoff' && { next: kind === 'suggest' ? heldFor('suggested') : end('ESCALATED') }),
      }
    },
  ],
  [
    'checks',
    (facts) => {
      const vetoes = vetoesFor(facts)
      return {
        input: null,
        outcome: vetoes.join(', ') || 'passed',
        at: facts.at.generated ?? facts.at.taken,
        ...(vetoes.length > 0 && { next: heldFor('checks') }),
      }
    },
  ],
  [
    'confidence',
    (facts) => {
      const { value, ...parts } = confidenceFor(facts)
      const threshold = facts.config.maxConfidenceForAuto
      const { draftsOnlyUntil } = facts.config
      const isDry = draftsOnlyUntil !== null && Date.parse(facts.now) < Date.parse(draftsOnlyUntil)
      const hold =
        facts.kind === 'suggest' ? 'suggested' : value < threshold ? 'confidence' : isDry ? 'drafts_only' : undefined
      return {
        input: { ...parts, threshold },
        outcome: `${value} ${value < threshold ? '<' : '>='} ${threshold}`,
        at: facts.at.generated ?? facts.at.taken,
        ...(hold && { next: heldFor(hold) }),
      }
    },
  ],
  [
    'delay',
    ({ config: { replyDelaySeconds: seconds, hours }, thread, again, at, now }) => {
      const over = new Date(Date.parse(at.generated ?? at.taken) + seconds * 1_000)
      const taken = { input: { seconds }, at: at.generated ?? at.taken }
      const then = new Date(Math.max(over.getTime(), Date.parse(now)))
      // Once everything is read again, the guard of the delivery judges the hours.
      const opens = hours === null || again ? null : opensAt(then, hours)
      if (opens !== null) {
        const until = opens.toISOString()
        return windowIsOver(thread, until)
          ? { ...taken, outcome: 'the window ends first', next: heldFor('outside_hours') }
          : { ...taken, outcome: `opens ${until}`, next: { do: 'wait', until, why: 'hours' } }
      }
      const until = over.toISOString()
      const isOver = Date.parse(now) >= over.getTime()
      return {
        ...taken,
        outcome: isOver ? 'over' : `until ${until}`,
        ...(!isOver && { next: { do: 'wait', until, why: 'delay' } }),
      }
    },
  ],
  [
    'again',
    ({ again, thread, at, now, sent }) => {
      if (!again) return { input: null, outcome: 'needed', at: at.generated ?? at.taken, next: { do: 'read_again' } }
      const verdict = changedMeanwhile(again, thread, sent === undefined && windowIsOver(again, now))
      return {
        input: again,
        outcome: verdict?.why ?? 'unchanged',
        at: at.again ?? now,
        ...(verdict && { next: verdict.next }),
      }
    },
  ],
  ['send', ({ sent, at, now }) => sent && { input: null, outcome: sent, at: at.sent ?? now, next: OF_SENDING[sent] }],
]

const OF_SENDING: Readonly<Record<Delivered, Next>> = {
  sent: end('SENT'),
  superseded: end('SUPERSEDED'),
  paused: heldFor('paused'),
  cap: heldFor('cap'),
  window: end('EXPIRED'),
  outside_hours: heldFor('outside_hours'),
  not_delivered: heldFor('not_delivered'),
}

/** The steps to skip for a draft that a person requested, and for a simulation. */
const SKIPPED: Readonly<Record<DecisionFacts['kind'], ReadonlySet<string>>> = {
  bot: new Set(),
  suggest: new Set([
    'own_or_duplicate',
    'bot_enabled',
    'channel_enabled',
    'escalation_keyword',
    'thread_state',
    'escalation_rules',
    'cap',
    'working_hours',
    'delay',
    'again',
  ]),
  simulate: new Set(['own_or_duplicate', 'bot_enabled', 'thread_state', 'working_hours', 'delay', 'again']),
}

/** Returns what changed between the decision and its sending, or undefined. */
function changedMeanwhile(
  again: NonNullable<DecisionFacts['again']>,
  thread: ThreadFacts,
  isOver: boolean,
): { why: string; next: Next } | undefined {
  if (again.revision !== thread.revision) return { why: 'a newer message arrived', next: end('SUPERSEDED') }
  if (again.status === 'SNOOZED') return { why: 'the thread is snoozed', next: heldFor('paused') }
  if (again.status !== 'OPEN') return { why: `the thread is ${again.status}`, next: end('SUPERSEDED') }
  if (!again.isEnabled) return { why: 'the bot is off', next: heldFor('paused') }
  if (quietFor(again)) return { why: 'the bot is paused', next: heldFor('paused') }
  if (again.streak >= again.maxAutoRepliesPerThread) return { why: 'the cap is reached', next: heldFor('cap') }
  return isOver ? { why: 'the window is over', next: end('EXPIRED') } : undefined
}

/** Returns the id of the rule that escalates the thread, if one does. */
export const escalatedBy = (log: readonly DecisionStep[]): string | undefined =>
  log.find(({ step }) => step === 'escalation_rules')?.outcome.match(/^rule (.+)$/)?.[1]

/** Decides as far as the facts allow. Returns the log of the steps and what comes next. */
export function decide(facts: DecisionFacts): { log: DecisionStep[]; next: Next } {
  const log: DecisionStep[] = []
  for (const [step, take] of steps) {
    if (SKIPPED[facts.kind].has(step)) continue
    const taken = take(facts)
    if (!taken) continue
    const { next, ...told } = taken
    log.push({ step, ...told })
    if (next) return { log, next }
  }
  return { log, next: { do: 'send', text: textOf(facts) } }
}
