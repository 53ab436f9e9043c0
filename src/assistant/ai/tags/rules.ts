import { hashtagsIn } from '../../../publishing/posts/compose/rules.ts'
import { termsIn } from '../words/rules.ts'

// Tags a text without a model. Pure functions.

/** The topic of a text that mentions none. */
const OTHER = 'other'

/** Prices, percentages, and words of an offer. */
const OFFER = /\d\s?%|[$€£]\s?\d|\d\s?[$€£]|\b(?:sale|discount|offer|deal)s?\b|خصم|تخفيض|عرض خاص/iu
const QUESTION = /[?؟]/u
const EXCITEMENT = /!|\p{Extended_Pictographic}/u

/** The maximum number of characters of a hashtag that become the topic. */
const LONGEST = 60

/**
 * The topic is one that the workspace already uses, if the text mentions it, else the first hashtag. The tone follows
 * from what the text does: it offers, asks, is excited, or none of these.
 */
export function tagsByRules(text: string, known: readonly string[]): { topic: string; tone: string } {
  const [hashtag] = hashtagsIn(text)
  const named = termsIn(
    text,
    known.filter((topic) => topic !== OTHER),
  )[0]
  return { topic: named ?? hashtag?.slice(1, LONGEST + 1).toLowerCase() ?? OTHER, tone: toneOf(text) }
}

function toneOf(text: string): string {
  if (OFFER.test(text)) return 'promotional'
  if (QUESTION.test(text)) return 'curious'
  return EXCITEMENT.test(text) ? 'enthusiastic' : 'plain'
}
