import { termsIn } from '../../assistant/ai/words/rules.ts'
import type { Urgency } from '../api.ts'
import type { EscalationRule } from './api.ts'

const URGENCIES: readonly Urgency[] = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
const atLeast = (urgency: Urgency, least: Urgency) => URGENCIES.indexOf(urgency) >= URGENCIES.indexOf(least)

/** A thread that a rule escalates is at least so urgent. */
export const ESCALATED_URGENCY: Urgency = 'HIGH'
export const moreUrgent = (one: Urgency, other: Urgency): Urgency => (atLeast(one, other) ? one : other)

type Conditions = Pick<EscalationRule, 'keywords' | 'intents' | 'urgency' | 'sentiment'>

interface Received {
  text: string
  urgency: Urgency
  /** Of the bot's classification; nothing where there is none. */
  sentiment: EscalationRule['sentiment']
  intents: readonly string[]
}

/** Whether a rule names anything. One that names nothing would escalate every message. */
export const namesSomething = ({ keywords, intents, urgency, sentiment }: Conditions): boolean =>
  keywords.length > 0 || intents.length > 0 || urgency !== null || sentiment !== null

/** Whether everything that a rule names holds for a message. */
export const holds = (rule: Conditions, { text, urgency, sentiment, intents }: Received): boolean =>
  namesSomething(rule) &&
  (rule.keywords.length === 0 || termsIn(text, rule.keywords).length > 0) &&
  (rule.intents.length === 0 || rule.intents.some((intent) => intents.includes(intent))) &&
  (rule.urgency === null || atLeast(urgency, rule.urgency)) &&
  (rule.sentiment === null || rule.sentiment === sentiment)
