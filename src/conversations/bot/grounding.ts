import { isUnspaced, wordsOf } from '../../assistant/ai/words/rules.ts'
import { COMMON } from './common-words.ts'
import { type Passage, stem } from './knowledge.ts'

// Where the words of a reply come from: the cited passages, or what other people wrote.

/** The words of a text that are not common, and those of them that no cited passage has, as stems. */
function comparedTo(text: string, cited: readonly Passage[]): { told: string[]; foreign: string[] } {
  const told = wordsOf(text)
    .filter((word) => !COMMON.has(word))
    .map(stem)
  const known = new Set(cited.flatMap((passage) => wordsOf(passage.text)).map(stem))
  return { told, foreign: told.filter((word) => !known.has(word)) }
}

/**
 * Returns the share of a text's words that are in the cited passages, from 0 to 1. Common words do not count. A text of
 * common words alone says nothing that a passage says, such as "Yes, of course".
 */
export function grounding(text: string, cited: readonly Passage[]): number {
  const { told, foreign } = comparedTo(text, cited)
  return told.length === 0 ? 0 : 1 - foreign.length / told.length
}

/** Whether a reply has words of the message that no cited passage has, as if the customer had told the bot to say them. */
export function echoes(text: string, message: string, cited: readonly Passage[]): boolean {
  const asked = new Set(wordsOf(message).map(stem))
  return comparedTo(text, cited).foreign.some((word) => asked.has(word))
}

/** This many words in a row are a phrase. A part of a question, such as "deliver to Austria", may be repeated. */
const PHRASE = 3
/** This many copied words in a row, or this share of all words, are no coincidence. */
const COPIED = 5
const MOST_COPIED = 0.5

/** Returns the words of a text in order. A sentence without spaces counts by its characters. */
const sequenceOf = (text: string) => wordsOf(text).flatMap((word) => (isUnspaced(word) ? Array.from(word) : [word]))
const phrasesOf = (words: readonly string[], length: number) =>
  words.slice(0, Math.max(0, words.length - length + 1)).map((_, at) => words.slice(at, at + length).join(' '))

/**
 * Whether a reply copies what somebody wrote in the conversation, as if they had dictated it. Phrases that stand in the
 * cited passages do not count.
 */
export function copies(text: string, written: readonly string[], cited: readonly Passage[]): boolean {
  const words = sequenceOf(text)
  const length = Math.min(PHRASE, words.length)
  if (length === 0) return false
  const phrases = (texts: readonly string[]) => new Set(texts.flatMap((each) => phrasesOf(sequenceOf(each), length)))
  const theirs = phrases(written)
  const ours = phrases(cited.map((passage) => passage.text))
  const isCopied = words.map(() => false)
  let longest = 0
  let run = 0
  phrasesOf(words, length).forEach((phrase, at) => {
    run = theirs.has(phrase) && !ours.has(phrase) ? (run === 0 ? length : run + 1) : 0
    longest = Math.max(longest, run)
    if (run > 0) isCopied.fill(true, at, at + length)
  })
  return longest >= COPIED || isCopied.filter(Boolean).length > words.length * MOST_COPIED
}
