import type { VoiceText } from '../../assistant/brand-voices/api.ts'
import type { Platform } from '../../networks/api.ts'
import type { ThreadStatus, Urgency } from '../threads/api.ts'
import type { EscalationRule } from '../escalation/api.ts'
import type { Hours } from './hours.ts'
import type { Knowledge } from './knowledge.ts'

// What a decision knows. The model's answers are facts like any other: the code decides.

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

export const isFailed = (value: object): value is Failed => 'failed' in value

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

export interface ThreadFacts {
  status: ThreadStatus
  botPaused: boolean
  workspacePaused: boolean
  streak: number
  revision: number
  windowUntil: string | null
}

export interface EarlierDecision {
  verdict: string
  hold?: string
  intent?: string
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
  /** The comment of somebody else that the message answers. */
  parent?: { who: 'other' | 'shop'; text: string }
  /** Nothing about the person if everyone can read the reply. */
  memory?: readonly { key: string; value: string }[]
  profile?: { name: string; engagement?: number; segments?: readonly string[] } | null
  /** The latest decisions about earlier messages of the thread, oldest first. */
  decisions?: readonly EarlierDecision[]
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
    /** The customer's messages before it whose decisions it superseded. Their words escalate, too. */
    earlier?: readonly string[]
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
  /** Set if the decision failed too often. With `isRead`, the message and the rules are known, but not the knowledge. */
  error?: { failures: number; at: string; isRead?: true }
}

/** `sent` means that the reply is at the network. Any other value is the reason why it is not. */
export type Delivered = 'sent' | 'superseded' | 'paused' | 'cap' | 'window' | 'outside_hours' | 'not_delivered'

/** Returns the text that is judged: that of the message, and of the ones before it that nobody decided about. */
export const judgedText = ({ text, earlier = [] }: Pick<DecisionFacts['message'], 'text' | 'earlier'>): string =>
  [...earlier, text].join('\n')
