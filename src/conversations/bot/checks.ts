import { isInAnother, leakOf } from '../../assistant/ai/checks.ts'
import { isForeign, referencesIn } from '../../assistant/ai/references.ts'
import { likeness } from '../../assistant/ai/rules.ts'
import { termsIn, wordsOf } from '../../assistant/ai/words/rules.ts'
import type { Platform } from '../../networks/api.ts'
import { networks } from '../../networks/rules.ts'
import { echoes, grounding, type Passage } from './knowledge.ts'
import { COMMITMENTS, isNegated, OFFERS } from './binding-words.ts'

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
  kind: 'COMMENT' | 'DM'
  platform: Platform
  /** The passages that the reply cites. One of them must contain each number or offer. */
  cited: readonly Passage[]
  /** The whole knowledge. A link or an address may come from anywhere in it. */
  knowledge: readonly Passage[]
  /** The instructions of the model. */
  system: string
  /** Words that the brand voice avoids. */
  forbidden: readonly string[]
  blockedTopics: readonly string[]
  /** The language of the customer's message as BCP 47, or null if it is unknown. */
  language: string | null
  /** The last reply in the thread. */
  last: string | null
  /** Whether the message is only thanks, praise or a greeting, so that the reply needs no passage. */
  isThanked: boolean
}

/** The maximum number of characters of a reply, by where it is written. */
const LONGEST = { DM: 2_000, COMMENT: 600 } as const
/** The minimum share of a reply's words that must be in the passages it cites. */
const FOUNDED = 0.3
/** The likeness from which two replies say the same. */
const SAME = 0.9

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

function hasForeignNumber(text: string, cited: readonly Passage[]): boolean {
  const known = new Set(cited.flatMap((passage) => numbersIn(passage.text)).flatMap((each) => [each, plain(each)]))
  const texts = cited.map((passage) => passage.text.toLowerCase()).join('\n')
  const isKnownShare = !SHARE_IN_WORDS.test(text) || SHARE_IN_WORDS.test(texts) || /[%٪]/u.test(texts)
  return !isKnownShare || numbersIn(text).some((number) => !known.has(number) && !known.has(plain(number)))
}

const joined = (passages: readonly Passage[]) => passages.map(({ text }) => text).join('\n')

/**
 * Whether a reply says something other than what it cites: it has few words of the cited passages, repeats other words of
 * the customer, or denies what they say. A reply in another language than all cited passages cannot be judged by its
 * words, and passes unless it denies something.
 */
function isUnfounded({ text, message, cited, language, isThanked }: Checked): boolean {
  if (isThanked) return false
  if (isNegated(text) && !isNegated(joined(cited))) return true
  const isComparable =
    cited.length === 0 || language === null || cited.some((passage) => !isInAnother(passage.text, language))
  return isComparable && (grounding(text, cited) < FOUNDED || echoes(text, message, cited))
}

/** Returns the reasons not to send a reply. It may be sent if there are none. */
export function vetoesOf(checked: Checked): Veto[] {
  const { text, kind, platform, cited, knowledge, system, forbidden, blockedTopics, language, last } = checked
  const known = joined(knowledge)
  const limit = networks[platform].answers?.[kind === 'COMMENT' ? 'comment' : 'message']
  const size = limit?.in === 'bytes' ? Buffer.byteLength(text) : text.length
  const found: Record<Veto, boolean> = {
    empty: wordsOf(text).length === 0,
    unfounded: isUnfounded(checked),
    number: hasForeignNumber(text, cited),
    commitment: termsIn(text.replaceAll('’', "'"), COMMITMENTS).length > 0,
    offer: termsIn(text.replaceAll('🆓', ' free '), OFFERS).some((term) => termsIn(joined(cited), [term]).length === 0),
    link: isForeign(text, referencesIn(known)),
    leak: leakOf(system, known)(text),
    forbidden: termsIn(text, forbidden).length > 0,
    blocked: termsIn(text, blockedTopics).length > 0,
    language: language !== null && isInAnother(text, language),
    length: text.length > LONGEST[kind] || (limit !== undefined && size > limit.most),
    repeat: last !== null && likeness({ text }, { text: last }) >= SAME,
  }
  return VETOES.filter((veto) => found[veto])
}
