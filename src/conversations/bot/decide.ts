import { tellLanguage } from '../../assistant/ai/checks.ts'
import { termsIn } from '../../assistant/ai/words/rules.ts'
import type { VoiceText } from '../../assistant/brand-voices/api.ts'
import type { Platform } from '../../networks/api.ts'
import type { ThreadStatus, Urgency } from '../api.ts'
import { holds } from '../escalation/rules.ts'
import type { EscalationRule } from '../escalation/api.ts'
import type { HeldFor, VERDICTS } from './decisions/api.ts'
import { type Hours, opensAt } from './hours.ts'
import { evidence, type Knowledge, type Passage, passagesOf, retrieve } from './knowledge.ts'
import { harmIn } from './binding-words.ts'
import { withoutPoliteness } from './courtesy.ts'
import { type Veto, vetoesOf } from './checks.ts'

// Decides about one message of a customer, as a pure function of facts. Whenever more is known, it runs again from the
// top. `next` is the missing fact or the verdict. The model's answers are facts like any other: the code decides.

/** Rises with every change to a rule. The same version gives the same log for the same facts, byte for byte. */
export const RULES_VERSION = 4

export type Next =
  | { do: 'classify' | 'reserve' | 'generate' | 'read_again' }
  | { do: 'wait'; until: string; why: 'hours' | 'delay' }
  | { do: 'send'; text: string }
  | { do: 'end'; verdict: (typeof VERDICTS)[number]; hold?: HeldFor }

/** The model's classification of a message. */
export interface Classification {
  intent: string
  sentiment: 'positive' | 'neutral' | 'negative'
  urgency: Urgency
  confidence: number
  /** BCP 47. */
  language: string
  /** The indexes of the blocked topics that the message is about. */
  blocked: readonly number[]
  asksHuman: boolean
  injection: boolean
  /** Words to search for, in the language of the knowledge. */
  search: readonly string[]
}

export interface ModelReply {
  action: 'reply' | 'handoff'
  text: string
  sources: readonly string[]
  confidence: number
  /** What to remember about the customer, in their own words. */
  remember?: readonly { key: string; value: string }[]
}

export interface Failed {
  failed: string
}

export interface BotRules extends Knowledge {
  isEnabled: boolean
  autoReplyComments: boolean
  autoReplyDMs: boolean
  maxAutoRepliesPerThread: number
  replyDelaySeconds: number
  /** Null means at any time. */
  hours: Hours | null
  maxConfidenceForAuto: number
  blockedTopics: readonly string[]
  escalateKeywords: readonly string[]
  /** Until this time every reply is held. */
  draftsOnlyUntil: string | null
  disclosureText: string | null
  /** Null means the default voice. */
  brandVoiceId: string | null
}

interface ThreadFacts {
  status: ThreadStatus
  botPaused: boolean
  workspacePaused: boolean
  streak: number
  revision: number
  windowUntil: string | null
  urgency: Urgency
}

/** What the model reads besides the message and the knowledge. */
export interface ToldInput {
  business?: string
  niche?: string
  voice?: VoiceText | null
  style?: string | null
  instructions?: string | null
  post?: string | null
  thread?: readonly { who: 'customer' | 'bot' | 'shop'; text: string }[]
  /** Nothing about the person if everyone can read the reply. */
  memory?: readonly { key: string; value: string }[]
  profile?: { name: string; engagement?: number } | null
}

/** The input of a decision. It is stored with the decision, so that a replay can use it. */
export interface DecisionFacts {
  /**
   * `bot`: the reply is sent if the bot is sure. `suggest`: a person requested a draft. `simulate`: nothing is sent,
   * and nothing waits.
   */
  kind: 'bot' | 'suggest' | 'simulate'
  /** The current time. `at` has the time at which each part became known. */
  now: string
  at: { taken: string; classified?: string; reserved?: string; generated?: string; again?: string; sent?: string }
  message: {
    kind: 'COMMENT' | 'DM'
    text: string
    platform: Platform
    /**
     * Why the bot ignores the message: it is our own, from another page, below a live broadcast, already decided, or to
     * a page that another workspace answers. Null for a message from a customer.
     */
    foreign: 'own' | 'page' | 'live' | 'duplicate' | 'claimed' | null
    /** Whether it waited too long for its turn, so that a person answers it. */
    isLate: boolean
  }
  config: BotRules
  thread: ThreadFacts
  rules: readonly Pick<EscalationRule, 'id' | 'keywords' | 'intents' | 'urgency' | 'sentiment'>[]
  classification?: Classification | Failed
  reserved?: 'held' | 'no_credits'
  /** The rest of the model's input. */
  told?: {
    system: string
    forbidden: readonly string[]
    last: string | null
    isFirst: boolean
    knowledgeIsIn: string | null
    /** The model's input besides the message and the knowledge. */
    input?: ToldInput
    /** The ids of the memories in the model's input. */
    memory?: readonly string[]
    /** The experiment that chose how to reply, and the variant it chose. */
    strategy?: { experimentId: string; variant: 'A' | 'B' }
  }
  reply?: ModelReply | Failed
  /** The thread and the configuration, read again under lock. */
  again?: Pick<ThreadFacts, 'status' | 'botPaused' | 'workspacePaused' | 'streak' | 'revision' | 'windowUntil'> &
    Pick<BotRules, 'isEnabled' | 'maxAutoRepliesPerThread'>
  /** The result of sending the reply. */
  sent?: Delivered
  /** Set if someone wrote before the decision was made. */
  superseded?: { why: string; at: string }
}

/** `sent` means that the reply is at the network. Any other value is the reason why it is not. */
export type Delivered = 'sent' | 'superseded' | 'paused' | 'cap' | 'window' | 'not_delivered'

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

const end = (verdict: (typeof VERDICTS)[number], hold?: HeldFor): Next => ({
  do: 'end',
  verdict,
  ...(hold && { hold }),
})
export const isFailed = (value: object): value is Failed => 'failed' in value

/**
 * Milliseconds before the end of a window from which the bot no longer answers, because the call may arrive too late.
 */
const BEFORE_END = 60_000

const windowIsOver = ({ windowUntil }: Pick<ThreadFacts, 'windowUntil'>, now: string) =>
  windowUntil !== null && Date.parse(now) >= Date.parse(windowUntil) - BEFORE_END

/** Replies to these intents need no evidence. */
const THANKED = ['praise', 'thanks', 'greeting']
/**
 * The evidence for replies to these intents never exceeds `MOST_EVIDENCE`, so that people answer them at usual
 * thresholds.
 */
const SENSITIVE = ['refund request', 'complaint', 'legal']
const MOST_EVIDENCE = 0.5

/** Returns why the bot stays silent in a thread, or undefined if it does not. */
function quietFor({
  status,
  botPaused,
  workspacePaused,
}: Pick<ThreadFacts, 'status' | 'botPaused' | 'workspacePaused'>) {
  if (status === 'ESCALATED') return 'escalated'
  return botPaused ? 'paused' : workspacePaused ? 'paused everywhere' : undefined
}

/** The steps in order. Each reads only the facts, never the results of earlier steps. */
const steps: readonly [name: string, take: (facts: DecisionFacts) => Taken | undefined][] = [
  [
    'newer_message',
    ({ superseded }) =>
      superseded && { input: null, outcome: superseded.why, at: superseded.at, next: end('SUPERSEDED') },
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
      const found = termsIn(message.text, config.escalateKeywords)
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
    ({ thread: { status, botPaused, workspacePaused }, at }) => ({
      input: { status, botPaused, workspacePaused },
      outcome: quietFor({ status, botPaused, workspacePaused }) ?? 'answers',
      at: at.taken,
    }),
  ],
  [
    'blocked_words',
    ({ message, config, at }) => {
      const found = termsIn(message.text, config.blockedTopics)
      return {
        input: { topics: config.blockedTopics.length },
        outcome: found.length > 0 ? `found: ${found.join(', ')}` : 'none',
        at: at.taken,
      }
    },
  ],
  [
    'classify',
    ({ classification, thread, kind, at }) => {
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
      const words = termsIn(message.text, config.blockedTopics)
      const meant =
        classification && !isFailed(classification)
          ? classification.blocked.flatMap((place) => config.blockedTopics[place] ?? [])
          : []
      const found = [...new Set([...words, ...meant])]
      return {
        input: { words, meant },
        outcome: found.length > 0 ? `found: ${found.join(', ')}` : 'none',
        at: at.classified ?? at.taken,
        ...(found.length > 0 && { next: end('HELD', 'blocked_topic') }),
      }
    },
  ],
  [
    'escalation_rules',
    ({ message, thread, rules, classification, at }) => {
      const told = classification && !isFailed(classification) ? classification : undefined
      const said = {
        text: message.text,
        urgency: told?.urgency ?? thread.urgency,
        sentiment: told?.sentiment ?? null,
        intents: told ? [told.intent] : [],
      }
      const rule = rules.find((each) => holds(each, said))
      const why = rule ? `rule ${rule.id}` : told?.asksHuman ? 'asks for a person' : undefined
      return {
        input: { rules: rules.length, asksHuman: told?.asksHuman ?? null },
        outcome: why ?? 'none',
        at: at.classified ?? at.taken,
        ...(why !== undefined && { next: end('ESCALATED') }),
      }
    },
  ],
  [
    'classified',
    // Without a classification there is no reply. The steps before this one need only words.
    ({ classification, at }) =>
      classification && isFailed(classification)
        ? {
            input: null,
            outcome: classification.failed,
            at: at.classified ?? at.taken,
            next: end('HELD', 'ai_failed'),
          }
        : undefined,
  ],
  [
    'text',
    // A picture or a sticker without text is left to people.
    ({ message: { text }, at }) =>
      text.trim() === '' ? { input: null, outcome: 'none', at: at.taken, next: end('HELD', 'no_text') } : undefined,
  ],
  [
    'cap',
    ({ thread: { streak }, config: { maxAutoRepliesPerThread: most }, at }) => ({
      input: { streak, most },
      outcome: streak < most ? 'below' : 'reached',
      at: at.taken,
      ...(streak >= most && { next: end('HELD', 'cap') }),
    }),
  ],
  [
    'window',
    ({ thread, message, now, at }) => {
      const isOver = windowIsOver(thread, now)
      const hold = message.isLate ? 'late' : isOver ? 'window' : undefined
      return {
        input: { windowUntil: thread.windowUntil, isLate: message.isLate },
        outcome: hold ?? 'open',
        at: at.taken,
        ...(hold && { next: end('HELD', hold) }),
      }
    },
  ],
  [
    'working_hours',
    ({ config: { hours }, thread, now, reply, at }) => {
      if (hours === null) return { input: null, outcome: 'any time', at: at.taken }
      // A reply that was written within the hours may be sent after them.
      const opens = reply ? null : opensAt(new Date(now), hours)
      if (opens === null) return { input: hours, outcome: 'open', at: at.taken }
      const until = opens.toISOString()
      return windowIsOver(thread, until)
        ? { input: hours, outcome: 'the window ends first', at: at.taken, next: end('HELD', 'outside_hours') }
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
        ...(reserved === 'no_credits' && { next: end('HELD', 'no_credits') }),
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
        return { input: null, outcome: reply.failed, at: when, next: end('HELD', hold) }
      }
      return {
        input: { sources: reply.sources },
        outcome: reply.action,
        at: when,
        ...(reply.action === 'handoff' && { next: kind === 'suggest' ? end('HELD', 'suggested') : end('ESCALATED') }),
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
        ...(vetoes.length > 0 && { next: end('HELD', 'checks') }),
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
        ...(hold && { next: end('HELD', hold) }),
      }
    },
  ],
  [
    'delay',
    ({ config: { replyDelaySeconds: seconds }, at, now }) => {
      const until = new Date(Date.parse(at.generated ?? at.taken) + seconds * 1_000).toISOString()
      const isOver = Date.parse(now) >= Date.parse(until)
      return {
        input: { seconds },
        outcome: isOver ? 'over' : `until ${until}`,
        at: at.generated ?? at.taken,
        ...(!isOver && { next: { do: 'wait', until, why: 'delay' } }),
      }
    },
  ],
  [
    'again',
    ({ again, thread, at, now }) => {
      if (!again) return { input: null, outcome: 'needed', at: at.generated ?? at.taken, next: { do: 'read_again' } }
      const verdict = changedMeanwhile(again, thread, now)
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
  paused: end('HELD', 'paused'),
  cap: end('HELD', 'cap'),
  window: end('EXPIRED'),
  not_delivered: end('HELD', 'not_delivered'),
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
  now: string,
): { why: string; next: Next } | undefined {
  if (again.revision !== thread.revision) return { why: 'somebody wrote', next: end('SUPERSEDED') }
  if (again.status === 'SNOOZED') return { why: 'the thread is put away', next: end('HELD', 'paused') }
  if (again.status !== 'OPEN') return { why: `the thread is ${again.status}`, next: end('SUPERSEDED') }
  if (!again.isEnabled) return { why: 'the bot is off', next: end('HELD', 'paused') }
  if (quietFor(again)) return { why: 'the bot is paused', next: end('HELD', 'paused') }
  if (again.streak >= again.maxAutoRepliesPerThread) return { why: 'the cap is reached', next: end('HELD', 'cap') }
  return windowIsOver(again, now) ? { why: 'the window is over', next: end('EXPIRED') } : undefined
}

function classificationOf({ classification }: DecisionFacts): Classification {
  if (!classification || isFailed(classification))
    throw new Error('A reply cannot be generated without a classification')
  return classification
}

function replyOf({ reply }: DecisionFacts): ModelReply {
  if (!reply || isFailed(reply)) throw new Error('A reply is required before it can be checked')
  return reply
}

/** Returns the reply that the model wrote, or undefined if it failed or handed the message over. */
export const writtenIn = ({ reply }: Pick<DecisionFacts, 'reply'>): ModelReply | undefined =>
  reply && !isFailed(reply) && reply.action === 'reply' ? reply : undefined

/** Returns the id of the rule that escalates the thread, if one does. */
export const escalatedBy = (log: readonly DecisionStep[]): string | undefined =>
  log.find(({ step }) => step === 'escalation_rules')?.outcome.match(/^rule (.+)$/)?.[1]

/** Returns the passages that the model gets. */
export const passagesFor = (facts: DecisionFacts): Passage[] =>
  retrieve(passagesOf(facts.config), facts.message.text, classificationOf(facts).search)

export const citedIn = (facts: DecisionFacts): Passage[] =>
  passagesFor(facts).filter(({ id }) => replyOf(facts).sources.includes(id))

/** Returns the text to send. The disclosure comes before the first message of the bot. */
export function textOf(facts: DecisionFacts): string {
  const { disclosureText } = facts.config
  const { text } = replyOf(facts)
  return facts.told?.isFirst && disclosureText !== null ? `${disclosureText}\n\n${text}` : text
}

const isText = (text: string | null | undefined): text is string => typeof text === 'string' && text !== ''

/** What was found of a reply, and the facts that it was found with. */
interface Found<T> {
  facts: readonly unknown[]
  value: T
}

/** Keeps what was found of a reply, since each step of its decision asks again with the same facts. */
function once<T>(find: (facts: DecisionFacts) => T): (facts: DecisionFacts) => T {
  const found = new WeakMap<object, Found<T>>()
  return (facts) => {
    const { reply, message, config, told, classification } = facts
    if (!reply) return find(facts)
    const now = [message, config, told, classification]
    const before = found.get(reply)
    if (before?.facts.every((each, at) => each === now[at])) return before.value
    const value = find(facts)
    found.set(reply, { facts: now, value })
    return value
  }
}

/** Returns why a reply is never sent automatically. */
export const vetoesFor = once((facts): readonly Veto[] => {
  const { message, config, told } = facts
  const input = told?.input ?? {}
  return vetoesOf({
    text: replyOf(facts).text,
    message: message.text,
    conversation: [...(input.thread ?? []).map(({ text }) => text), input.post, input.profile?.name].filter(isText),
    kind: message.kind,
    platform: message.platform,
    cited: citedIn(facts),
    knowledge: passagesOf(config),
    system: told?.system ?? '',
    style: [input.style, input.instructions, input.voice?.writingStyle, input.voice?.toneAttributes.join(', ')].filter(
      isText,
    ),
    forbidden: told?.forbidden ?? [],
    blockedTopics: config.blockedTopics,
    language: classificationOf(facts).language || null,
    last: told?.last ?? null,
    isThanked: isThanked(facts),
  })
})

/** Whether the message needs no answer from the knowledge. A question does, whatever the model says. */
const isThanked = (facts: DecisionFacts) =>
  THANKED.includes(classificationOf(facts).intent) && !/[?؟？]/u.test(facts.message.text)

/** This many letters show the language of a passage. */
const ENOUGH_OF_PASSAGE = 30

/** Returns the words of the question that the cited passages should have: those in their language. */
function askedIn(facts: DecisionFacts, cited: readonly Passage[]) {
  const { language, search } = classificationOf(facts)
  const usual = facts.told?.knowledgeIsIn ?? null
  const question = withoutPoliteness(facts.message.text)
  const [own = ''] = language.split('-')
  if (usual === null || own === usual) return { question, search, own: true }
  // The model searches in the usual language of the knowledge, but some passages may be in the customer's.
  const isCitedIn = cited.some(({ text }) => (tellLanguage(text, usual, ENOUGH_OF_PASSAGE) ?? usual) === own)
  return isCitedIn ? { question, search: [], own: true } : { question, search, own: false }
}

interface Confidence {
  value: number
  model: number
  classification: number
  evidence: number
}

/** Returns the confidence: the lowest of the model's own, the classification's and the evidence. */
export const confidenceFor = once((facts): Confidence => {
  const { intent, injection, confidence } = classificationOf(facts)
  const cited = citedIn(facts)
  const share = isThanked(facts) ? 1 : evidence(passagesOf(facts.config), cited, askedIn(facts, cited))
  const told = harmIn(cited.map(({ text }) => text).join('\n'))
  const isSensitive =
    injection || SENSITIVE.includes(intent) || harmIn(facts.message.text).some((term) => !told.includes(term))
  const limited = isSensitive ? Math.min(share, MOST_EVIDENCE) : share
  const parts = { model: replyOf(facts).confidence, classification: confidence, evidence: limited }
  const value = Math.round(Math.min(parts.model, parts.classification, parts.evidence) * 1_000) / 1_000
  return { value, ...parts }
})

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
