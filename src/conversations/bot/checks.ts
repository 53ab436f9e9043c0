import { isInAnother, type IsLeak, leakOf } from '../../assistant/ai/checks.ts'
import { isForeign, type References, referencesIn } from '../../assistant/ai/references.ts'
import { likeness } from '../../assistant/ai/rules.ts'
import { termsIn, wordsOf } from '../../assistant/ai/words/rules.ts'
import type { Platform } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import type { Passage } from './knowledge.ts'
import { copies, echoes, grounding } from './grounding.ts'
import { COMMITMENTS, INSULTS, isCourtesy, isNegated, OFFERS, RUDE_SIGNS, withoutPoliteness } from './binding-words.ts'
import { hasForeignDay } from './days.ts'

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
  /** What else the model read of the conversation: earlier messages, the post, the customer's name. */
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
/** The minimum share of a reply's words that must be in the passages it cites. */
const FOUNDED = 0.3
/** The likeness from which two replies say the same. */
const SAME = 0.9

const joined = (passages: readonly Passage[]) => passages.map(({ text }) => text).join('\n')

/** Replaces the digits of every script by Latin digits. */
const latinDigits = (text: string) =>
  text.normalize('NFKC').replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit.codePointAt(0) ?? 0)))
/** Returns the value of a decimal digit. Unicode has decimal digits in runs of ten that begin with zero. */
function valueOf(point: number): number {
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1
  return value
}

/**
 * Returns all numbers, prices, dates, times, percentages and codes: every word with a digit, without surrounding
 * punctuation.
 */
const numbersIn = (text: string): string[] =>
  (latinDigits(text).match(/[\p{L}\d]*\d[\p{L}\d.,:/-]*/gu) ?? []).map((number) =>
    number
      .replace(/[.,:/-]+$/, '')
      .replaceAll(/[.,](?=\d{3}(?!\d))/g, '')
      .replaceAll(',', '.')
      .toLowerCase(),
  )

/** Strips the unit after a number, so that "18h" is found as "18". */
const plain = (number: string) => /^\d[\d.,:/-]*/.exec(number)?.[0] ?? number

/** Words that turn a number word into a share, as in "twenty percent". */
const SHARE_IN_WORDS = /\b(?:per ?cent|prozent|pour ?cent|por ?ciento)\b|بالمئة|بالمائة|في المئة/iu
const MONEY =
  /[€$£¥₺₽₹]|(?<!\p{L})(?:eur|euros?|usd|dollars?|gbp|sar|aed|egp|lira|cents?)(?!\p{L})|يورو|دولار|ريال|درهم|جنيه/iu
const PRICE = new RegExp(`(?:${MONEY.source})\\s*(\\d[\\d.,]*)|(\\d[\\d.,]*)\\s*(?:${MONEY.source})`, 'giu')

/** Replaces "6 pm" by "18:00". */
const in24Hours = (text: string) =>
  text.replaceAll(/\b(\d{1,2})(?::(\d\d))?\s?([ap])\.?m\b\.?/gi, (_, hour: string, minutes = '00', half: string) =>
    half.toLowerCase() === 'p' ? `${(Number(hour) % 12) + 12}:${minutes}` : `${Number(hour) % 12}:${minutes}`,
  )
const pricesIn = (text: string) =>
  Array.from(latinDigits(text).matchAll(PRICE), ([, after, before]) => numbersIn(after ?? before ?? '')).flat()

function hasForeignNumber(text: string, cited: readonly Passage[]): boolean {
  const passages = in24Hours(joined(cited))
  const known = new Set(numbersIn(passages).flatMap((each) => [each, plain(each), each.replace(/:00$/, '')]))
  const isKnownShare = !SHARE_IN_WORDS.test(text) || SHARE_IN_WORDS.test(passages) || /[%٪]/u.test(passages)
  // An amount in words, as in "five euros".
  const isSpelled = (each: string) => MONEY.test(latinDigits(each).replaceAll(PRICE, ' '))
  if (!isKnownShare || (isSpelled(text) && !isSpelled(passages))) return true
  // A number of a passage is no price because the reply calls it one.
  const prices = new Set(pricesIn(passages))
  return (
    pricesIn(text).some((price) => !prices.has(price)) ||
    numbersIn(in24Hours(text)).some((number) => !known.has(number) && !known.has(plain(number)))
  )
}

/** Languages whose words the lists cover. */
const COVERED = ['en', 'ar', 'de', 'fr', 'es']

/**
 * Whether a reply says something other than what it cites: it has few words of the cited passages, repeats other words of
 * the customer, copies the conversation, or denies what they say. A reply to thanks may have only courteous words. A
 * reply in another language than all cited passages cannot be compared. It passes only in a language whose offers and
 * promises are listed.
 */
function isUnfounded({ text, message, conversation, cited, language, isThanked }: Checked): boolean {
  const polite = withoutPoliteness(text)
  if (isNegated(polite) && !isNegated(joined(cited))) return true
  if (copies(text, [message, ...conversation], cited)) return true
  if (isThanked) return !isCourtesy(text, message)
  const isComparable =
    cited.length === 0 || language === null || cited.some((passage) => !isInAnother(passage.text, language))
  if (!isComparable) return !COVERED.includes(new Intl.Locale(language).language)
  return grounding(text, cited) < FOUNDED || echoes(text, message, cited)
}

/** This many words in a row of how the brand writes show what the model was told. */
const STYLE_RUN = 4

/** Returns a text without the spaces between single letters, as in "f r e e". */
const closed = (text: string) => text.replaceAll(/(?<=(?<!\p{L})\p{L})[ .-](?=\p{L}(?!\p{L}))/gu, '')
const backwards = (text: string) => Array.from(text).toReversed().join('')

/** Whether a reply shows what the model was told, also backwards. */
function isLeaking({ text, style }: Checked, { isLeak, words: known }: ReadKnowledge): boolean {
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
    /\s*[[({]\s*(?:\.|dot|punkt|point|punto|نقطة)\s*[\])}]\s*|\s+(?:dot|punto|نقطة)\s+|(?<=\p{L})\s+\.\s?(?=\p{L})/giu,
    '.',
  )

/** What the checks read of the whole knowledge. */
interface ReadKnowledge {
  system: string
  /** Its words, between spaces. */
  words: string
  isLeak: IsLeak
  references: References
  addresses: References
}

/** Read before: a decision checks a reply several times against the same knowledge. */
const read = new WeakMap<readonly Passage[], ReadKnowledge>()

function readKnowledge({ knowledge, system }: Checked): ReadKnowledge {
  const before = read.get(knowledge)
  if (before?.system === system) return before
  const text = joined(knowledge)
  const now = {
    system,
    words: ` ${wordsOf(text).join(' ')} `,
    isLeak: leakOf(system, text),
    references: referencesIn(text),
    addresses: referencesIn(asAddress(text)),
  }
  read.set(knowledge, now)
  return now
}

/** Returns the reasons not to send a reply. It may be sent if there are none. */
export function vetoesOf(checked: Checked): Veto[] {
  const { text, message, kind, platform, cited, forbidden, blockedTopics, language, last } = checked
  const polite = withoutPoliteness(text)
  const known = readKnowledge(checked)
  const limit = networks[platform].answers?.[kind === 'COMMENT' ? 'comment' : 'message']
  const size = limit?.in === 'bytes' ? Buffer.byteLength(text) : text.length
  const found: Record<Veto, boolean> = {
    empty: wordsOf(text).length === 0,
    unfounded: isUnfounded(checked),
    number: hasForeignNumber(text, cited) || (!checked.isThanked && hasForeignDay(polite, joined(cited))),
    commitment: termsIn(polite, COMMITMENTS).length > 0,
    offer: termsIn(closed(polite.replaceAll('🆓', ' free ')), OFFERS).some(
      (term) => termsIn(joined(cited), [term]).length === 0,
    ),
    link: isForeign(text, known.references) || isForeign(asAddress(text), known.addresses),
    leak: isLeaking(checked, known),
    forbidden: termsIn(text, forbidden).length > 0 || termsIn(text, INSULTS).length > 0 || RUDE_SIGNS.test(text),
    blocked: termsIn(text, blockedTopics).length > 0,
    // A model that names another language than the customer's is wrong about the reply as well.
    language: language !== null && (isInAnother(text, language) || isInAnother(message, language)),
    length: text.length > LONGEST[kind] || (limit !== undefined && size > limit.most),
    repeat: last !== null && likeness({ text }, { text: last }) >= SAME,
  }
  return VETOES.filter((veto) => found[veto])
}
