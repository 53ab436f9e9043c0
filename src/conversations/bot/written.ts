import { tellLanguage } from '../../assistant/ai/text-language.ts'
import { harmIn } from './binding-words.ts'
import { inPieces } from '../../core/platform/pieces.ts'
import { readForChecks, type Veto, vetoesOf } from './checks.ts'
import { withoutPoliteness } from './courtesy.ts'
import { type Classification, type DecisionFacts, isFailed, judgedText, type ModelReply } from './decision-facts.ts'
import { evidence, type Passage, passagesOf, retrieve } from './knowledge.ts'
import { memoize } from './memoize.ts'

// What the code finds in a reply of the model: what it cites, why it may not be sent, and how sure it is.

/** Replies to these intents need no evidence. */
const THANKED = ['praise', 'thanks', 'greeting']
/**
 * The evidence for replies to these intents never exceeds `MOST_EVIDENCE`, so that people answer them at usual
 * thresholds.
 */
const SENSITIVE = ['refund request', 'complaint', 'legal']
const MOST_EVIDENCE = 0.5

export function classificationOf({ classification }: DecisionFacts): Classification {
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

/** Returns the passages that the model gets. */
export const passagesFor = (facts: DecisionFacts): Passage[] =>
  retrieve(passagesOf(facts.config), facts.message.text, classificationOf(facts).search)

export const citedIn = (facts: DecisionFacts): Passage[] =>
  passagesFor(facts).filter(({ id }) => replyOf(facts).sources.includes(id))

/** Returns a text of the bot after its disclosure, if it has one. */
export const disclosed = (disclosure: string | null, text: string): string =>
  disclosure === null ? text : `${disclosure}\n\n${text}`

/** Returns the text to send. The disclosure comes before the first message of the bot. */
export const textOf = (facts: DecisionFacts): string =>
  disclosed(facts.told?.isFirst ? facts.config.disclosureText : null, replyOf(facts).text)

/** Returns a text, or its longest beginning that fits with an ellipsis. */
export function cutToFit(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  const letters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  const cut = (length: number) => `${letters.slice(0, length).join('').trimEnd()}…`
  let [short, long] = [0, letters.length]
  while (long - short > 1) {
    const middle = (short + long) >> 1
    if (fits(cut(middle))) short = middle
    else long = middle
  }
  return cut(short)
}

const isText = (text: string | null | undefined): text is string => typeof text === 'string' && text !== ''

/** The facts by which a reply is judged. Each step of its decision asks again with the same ones. */
const judgedBy = (facts: DecisionFacts): [object, ...unknown[]] => [
  replyOf(facts),
  facts.message,
  facts.config,
  facts.told,
  facts.classification,
]

function vetoesIn(facts: DecisionFacts): readonly Veto[] {
  const { message, config, told } = facts
  const input = told?.input ?? {}
  return vetoesOf({
    text: replyOf(facts).text,
    message: message.text,
    conversation: [
      ...(input.thread ?? []).map(({ text }) => text),
      input.parent?.text,
      input.post,
      input.profile?.name,
    ].filter(isText),
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
}

/**
 * Reads the knowledge in pieces for the checks of a reply, so that a decision about it takes little time. Does nothing
 * without a reply.
 */
export async function prepareChecks({ reply, config, told }: DecisionFacts): Promise<void> {
  if (!reply || isFailed(reply)) return
  await inPieces(readForChecks({ knowledge: passagesOf(config), system: told?.system ?? '' }))
}

/** Returns why a reply is never sent automatically. */
export const vetoesFor = memoize(vetoesIn, judgedBy)

/** Whether the message needs no answer from the knowledge. A question does, whatever the model says. */
const isThanked = (facts: DecisionFacts) =>
  THANKED.includes(classificationOf(facts).intent) && !/[?؟？]/u.test(judgedText(facts.message))

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

function confidenceIn(facts: DecisionFacts): Confidence {
  const { intent, injection, confidence } = classificationOf(facts)
  const cited = citedIn(facts)
  const share = isThanked(facts) ? 1 : evidence(passagesOf(facts.config), cited, askedIn(facts, cited))
  const told = harmIn(cited.map(({ text }) => text).join('\n'))
  const isSensitive =
    injection || SENSITIVE.includes(intent) || harmIn(judgedText(facts.message)).some((term) => !told.includes(term))
  const limited = isSensitive ? Math.min(share, MOST_EVIDENCE) : share
  const parts = { model: replyOf(facts).confidence, classification: confidence, evidence: limited }
  const value = Math.round(Math.min(parts.model, parts.classification, parts.evidence) * 1_000) / 1_000
  return { value, ...parts }
}

/** Returns the confidence: the lowest of the model's own, the classification's and the evidence. */
export const confidenceFor = memoize(confidenceIn, judgedBy)
