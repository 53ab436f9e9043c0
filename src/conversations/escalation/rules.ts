import { termsIn } from '../../assistant/ai/words/rules.ts'
import type { Urgency } from '../threads/api.ts'
import { URGENCIES } from '../threads/rules.ts'
import type { EscalationRule } from './api.ts'

const atLeast = (urgency: Urgency, least: Urgency) => URGENCIES.indexOf(urgency) >= URGENCIES.indexOf(least)

/** The minimum urgency of an escalated thread. */
export const ESCALATED_URGENCY: Urgency = 'HIGH'
export const moreUrgent = (one: Urgency, other: Urgency): Urgency => (atLeast(one, other) ? one : other)

type Conditions = Pick<EscalationRule, 'keywords' | 'intents' | 'urgency' | 'sentiment'>

interface Received {
  text: string
  /** From the bot's classification of this message, as the rest. Null if there is none. */
  urgency: Urgency | null
  sentiment: EscalationRule['sentiment']
  intents: readonly string[]
}

/** Whether a rule has a condition. A rule without one would escalate every message. */
export const namesSomething = ({ keywords, intents, urgency, sentiment }: Conditions): boolean =>
  keywords.length > 0 || intents.length > 0 || urgency !== null || sentiment !== null

/** Whether every condition of a rule holds for a message. */
export const holds = (rule: Conditions, { text, urgency, sentiment, intents }: Received): boolean =>
  namesSomething(rule) &&
  (rule.keywords.length === 0 || termsIn(text, rule.keywords).length > 0) &&
  (rule.intents.length === 0 || rule.intents.some((intent) => intents.includes(intent))) &&
  (rule.urgency === null || (urgency !== null && atLeast(urgency, rule.urgency))) &&
  (rule.sentiment === null || rule.sentiment === sentiment)

/** Whether the words of a message alone fulfil a rule. */
export const holdsByWords = (rule: Conditions, text: string): boolean =>
  holds(rule, { text, urgency: null, sentiment: null, intents: [] })
