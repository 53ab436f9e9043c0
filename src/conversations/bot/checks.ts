import { type IsLeak, leakBeside, sharedWithPrompt } from '../../assistant/ai/checks.ts'
import { isInAnother } from '../../assistant/ai/text-language.ts'
import { isForeign, type References, referencesIn } from '../../assistant/ai/references.ts'
import { likeness } from '../../assistant/ai/rules.ts'
import { termsIn, wordsOf } from '../../assistant/ai/words/rules.ts'
import type { Platform } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import type { Passage } from './knowledge.ts'
import { AGREEMENT, COMMITMENTS, harmIn, INGREDIENT, INSULTS, OFFERS, RUDE_SIGNS } from './binding-words.ts'
import { addsItem, mixesNumbers, movesOffer, swapsNumbers, widens } from './bindings.ts'
import { agreesBlindly, assumes, isThanks, repeatsOnly, readPoints } from './claims.ts'
import { isCourtesy, withoutPoliteness } from './courtesy.ts'
import { hasForeignDay } from './days.ts'
import { copies, denies, echoes, isGrounded, sentencesOf, sharedWords, stemsIn } from './grounding.ts'
import { hasForeignNumber, rebindsNumber, turnsNumbers } from './numbers.ts'
import { memoize } from './memoize.ts'
import type { Steps } from '../../core/platform/pieces.ts'

// What the bot never sends automatically, however sure the model is. Each veto holds the draft for a person.

export const VETOES = [
  'empty',
  'unfounded',
  'number',
  'commitment',
  'offer',
  'link',
  'leak',
  'forbidden',
  'blocked',
  'language',
  'length',
  'repeat',
] as const
export type Veto = (typeof VETOES)[number]

/** A reply, and everything that it is checked against. */
export interface Checked {
  text: string
  /** The customer's message. */
  message: string
  /** What else the model read of the conversation: earlier messages, the comment above, the post, the customer's name. */
  conversation: readonly string[]
  kind: 'COMMENT' | 'DM'
  platform: Platform
  /** The passages that the reply cites. One of them must contain each number or offer. */
  cited: readonly Passage[]
  /** The whole knowledge. A link or an address may come from anywhere in it. */
  knowledge: readonly Passage[]
  /** The instructions of the model. */
  system: string
  /** How the brand tells the model to write. */
  style: readonly string[]
  /** Words that the brand voice avoids. */
  forbidden: readonly string[]
  blockedTopics: readonly string[]
  /** The language of the customer's message as BCP 47, or null if it is unknown. */
  language: string | null
  /** The last reply in the thread. */
  last: string | null
  /** Whether the model says that the message is thanks, praise or a greeting, so that the reply needs no passage. */
  isThanked: boolean
}

/** The maximum number of characters of a reply, by where it is written. */
const LONGEST = { DM: 2_000, COMMENT: 600 } as const
/** The likeness from which two replies say the same. */
const SAME = 0.9

/** Letters that only look like those of a language, and words of two alphabets. */
const IN_DISGUISE =
  /[\u0250-\u02AF\u1D00-\u1DBF\uA720-\uA7FF]|\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u

/**
 * Whether a reply says something other than what it cites. It has too few words of the cited passages, words or whole
 * phrases of the conversation that they lack, denies what they say, or puts their numbers in another place. A reply to
 * thanks may have only courteous words. So a reply in another language than all cited passages is unfounded as well:
 * nothing can be compared.
 */
function isUnfounded({ text, message, conversation, cited, knowledge, isThanked }: Checked): boolean {
  const written = [message, ...conversation]
  const passages = cited.map((passage) => passage.text)
  if (IN_DISGUISE.test(text) || denies(text, cited) || copies(text, written, cited)) return true
  const named = sharedWords(message, knowledge)
  if (isThanked)
    return (
      assumes(message, named) ||
      (named.length > 0 && AGREEMENT.test(text)) ||
      !sentencesOf(text).every((sentence) => isCourtesy(sentence, named))
    )
  return (
    (isThanks(message) && assumes(message, named)) ||
    !isGrounded(text, cited) ||
    echoes(text, written, cited) ||
    repeatsOnly(text, written, cited) ||
    agreesBlindly(text, message, cited, knowledge) ||
    mixesNumbers(text, message, cited) ||
    turnsNumbers(text, passages) ||
    rebindsNumber(text, passages) ||
    swapsNumbers(text, cited) ||
    addsItem(text, cited) ||
    widens(text, cited) ||
    harmIn(text).some((term) => !harmIn(passages.join('\n')).includes(term)) ||
    // A reply must repeat each harm that the message names.
    harmIn(message).some((term) => !harmIn(text).includes(term))
  )
}

/** Words such as "gluten-free" and "free of nuts", which offer nothing. */
const WITHOUT = new RegExp(
  `(?<!\\p{L})(?:(?:${INGREDIENT})[- ]free|free (?:of|from) (?:${INGREDIENT}))(?!\\p{L})`,
  'giu',
)
/** Returns the groups of offers that a text has. */
const offersIn = (text: string) => {
  const said = text.replaceAll(WITHOUT, ' ')
  return OFFERS.filter((words) => termsIn(said, words).length > 0)
}

/** This many words in a row of how the brand writes show what the model was told. */
const STYLE_RUN = 4

/** Returns a text without the spaces between single letters, as in "f r e e". */
const closed = (text: string) => text.replaceAll(/(?<=(?<!\p{L})\p{L})[ .*_-](?=\p{L}(?!\p{L}))/gu, '')
const backwards = (text: string) => Array.from(text).toReversed().join('')

/** Whether a reply shows what the model was told, also backwards. */
function isLeaking({ text, style }: Checked, { isLeak, words: known }: Analysis): boolean {
  const words = ` ${wordsOf(text).join(' ')} `
  const runs = style.flatMap((each) => {
    const all = wordsOf(each)
    const length = Math.min(STYLE_RUN, Math.max(2, all.length))
    return all.slice(0, all.length - length + 1).map((_, at) => ` ${all.slice(at, at + length).join(' ')} `)
  })
  return isLeak(text) || isLeak(backwards(text)) || runs.some((run) => words.includes(run) && !known.includes(run))
}

/** Returns a text with the addresses that were written to look like none, such as "evil [dot] com". */
const asAddress = (text: string) =>
  text.replaceAll(
    /(?<!\s)\s*[[({]\s*(?:\.|dot|punkt|point|punto|نقطة)\s*[\])}]\s*|(?<!\s)\s+(?:dot|punkt|point|punto|نقطة)\s+(?=(?:com|net|org|info|io|co|de|fr|es|me|app|shop|site|xyz)(?!\p{L}))|(?<=\p{L})\s+\.\s?(?=\p{L})/giu,
    '.',
  )

/** What the checks need of the whole knowledge. */
interface Analysis {
  /** Its words, between spaces. */
  words: string
  isLeak: IsLeak
  references: References
  addresses: References
}

/** A passage, and the instructions of the model. */
interface Told {
  passage: Passage
  system: string
}

/** What the checks need of one passage. */
const partOf = memoize(
  ({ passage: { text }, system }: Told) => ({
    words: wordsOf(text).join(' '),
    shared: sharedWithPrompt(system, text),
    references: referencesIn(text),
    addresses: referencesIn(asAddress(text)),
  }),
  ({ passage, system }) => [passage, system],
)

const together = (all: readonly References[]): References => ({
  links: all.flatMap(({ links }) => links),
  mentions: all.flatMap(({ mentions }) => mentions),
  numbers: all.flatMap(({ numbers }) => numbers),
  rest: all.map(({ rest }) => rest).join('\n'),
})

function analyze({ knowledge, system }: Pick<Checked, 'knowledge' | 'system'>): Analysis {
  const parts = knowledge.map((passage) => partOf({ passage, system }))
  return {
    // A run of words never matches across a line break, so not across two passages.
    words: ` ${parts.map(({ words }) => words).join(' \n ')} `,
    isLeak: leakBeside(
      system,
      parts.map(({ shared }) => shared),
    ),
    references: together(parts.map(({ references }) => references)),
    addresses: together(parts.map(({ addresses }) => addresses)),
  }
}

/** Reads each passage for the checks, so that they only put together what is read. */
export function* readForChecks({ knowledge, system }: Pick<Checked, 'knowledge' | 'system'>): Steps<void> {
  for (const passage of knowledge) {
    partOf({ passage, system })
    yield undefined
    readPoints(passage)
    yield undefined
    stemsIn(passage)
    yield undefined
  }
}

const analyzed = memoize(analyze, ({ knowledge, system }) => [knowledge, system])

/** Returns the reasons not to send a reply. It may be sent if there are none. */
export function vetoesOf(checked: Checked): Veto[] {
  const { text, message, kind, platform, cited, forbidden, blockedTopics, language, last } = checked
  const limit = networks[platform].answers?.[kind === 'COMMENT' ? 'comment' : 'message']
  const size = limit?.in === 'bytes' ? Buffer.byteLength(text) : text.length
  // A very long text would take long to compare, and is held anyway.
  if (text.length > LONGEST[kind] || (limit !== undefined && size > limit.most)) return ['length']
  const passages = cited.map((passage) => passage.text)
  const said = withoutPoliteness(passages.join('\n'))
  const polite = withoutPoliteness(text)
  const close = closed(polite.replaceAll('🆓', ' free '))
  const known = analyzed(checked)
  const found: Record<Veto, boolean> = {
    empty: wordsOf(text).length === 0,
    unfounded: isUnfounded(checked),
    number: hasForeignNumber(polite, passages) || (!checked.isThanked && hasForeignDay(polite, said)),
    commitment: termsIn(close, COMMITMENTS).length > 0,
    offer: offersIn(close).some((words) => !offersIn(said).includes(words)) || movesOffer(polite, cited, offersIn),
    link: isForeign(text, known.references) || isForeign(asAddress(text), known.addresses),
    leak: isLeaking(checked, known),
    forbidden: termsIn(text, forbidden).length > 0 || termsIn(close, INSULTS).length > 0 || RUDE_SIGNS.test(text),
    blocked: termsIn(text, blockedTopics).length > 0,
    // A model that names another language than the customer's is wrong about the reply as well.
    language: language !== null && (isInAnother(text, language) || isInAnother(message, language)),
    length: false,
    repeat: last !== null && likeness({ text }, { text: last }) >= SAME,
  }
  return VETOES.filter((veto) => found[veto])
}
