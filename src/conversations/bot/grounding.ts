import { isUnspaced, wordsOf } from '../../assistant/ai/words/rules.ts'
import { AGREEMENT, EXCEPTIONS, isNegated, isNegation } from './binding-words.ts'
import { COMMON } from './common-words.ts'
import { hasKindWord, isCourteous, isCourtesy, withoutCourse, withoutPoliteness } from './courtesy.ts'
import { daysIn, isDay } from './days.ts'
import { type Passage, stem } from './knowledge.ts'
import { hasNumber, numbersWithWords } from './numbers.ts'
import { memoize } from './memoize.ts'

// Where the words of a reply come from: the cited passages, or what other people wrote.

/** Returns the sentences of a text. */
export const sentencesOf = (text: string): string[] =>
  text
    // A run of spaces is one, so that none of them is the beginning of another search to the end of the run.
    .replaceAll(/\s+/gu, (run) => (run.includes('\n') ? '\n' : ' '))
    .split(
      /(?<=[.!?؟…])\s|\n|,?\s(?=(?:but|except|aber|sondern|außer|ausgenommen|pero|excepto|salvo|mais|sauf|لكن|ولكن|باستثناء|ولا|ولن|ولم)\s)|(?<=\p{Extended_Pictographic}\uFE0F?)\s/u,
    )
    .filter((sentence) => wordsOf(sentence).length > 0)

/** Returns the parts of a sentence between commas and exceptions. */
export const clausesOf = (sentence: string): string[] =>
  sentence.split(/[,;:،؛]\s+|\s[–—-]\s/u).flatMap((part) => part.split(EXCEPTIONS))

/** Returns the words of a text that say something about the brand. Days and numbers are compared by their meaning. */
export const contentOf = (text: string): string[] =>
  wordsOf(withoutCourse(withoutPoliteness(text)))
    .filter(
      (word) =>
        !COMMON.has(word) &&
        !isCourteous(word) &&
        !isDay(word) &&
        !isNegation(word) &&
        !/^\p{Script=Latin}$|\d/u.test(word),
    )
    .map(stem)

/** Returns the words of a sentence for its comparison with another one, polite ones too, as stems. */
const allWordsOf = (sentence: string) =>
  wordsOf(sentence)
    .filter((word) => !COMMON.has(word) && !isNegation(word) && !/\d/.test(word))
    .map(stem)

export const stemsOf = (texts: readonly string[]) => new Set(texts.flatMap(wordsOf).map(stem))
export const textsOf = (passages: readonly Passage[]) => passages.map(({ text }) => text)

/** Returns the stems of a passage, which many replies are compared with. */
export const stemsIn = memoize(
  ({ text }: Passage) => stemsOf([text]),
  (passage) => [passage],
)

/** A wish, such as "Happy cycling!", has so few words, and a single one that says what it is about. */
const WISH = 7
const isWish = (sentence: string, known: ReadonlySet<string>) => {
  const words = contentOf(sentence)
  return (
    wordsOf(sentence).length <= WISH &&
    (hasKindWord(sentence) || /^\s*(?:see you|bis|viel|gute[nr]?|à|bonne?|nos vemos|buen[ao]?)\s/iu.test(sentence)) &&
    !isNegated(sentence) &&
    words.length === 1 &&
    words.every((word) => !known.has(word))
  )
}

/** A yes such as "Yes, we do!" has so few words. */
const YES = 6
const isYes = (sentence: string) =>
  wordsOf(sentence).length <= YES && AGREEMENT.test(sentence) && contentOf(sentence).length === 0

/** The minimum share of a sentence's words that must be in the cited passages. */
const FOUNDED = 0.5

/**
 * Whether each sentence of a reply has enough words and numbers of the cited passages. Polite sentences need none, but a
 * reply of polite words alone says nothing that a passage says, such as "Yes, of course".
 */
export function isGrounded(text: string, cited: readonly Passage[]): boolean {
  const texts = textsOf(cited)
  const known = stemsOf(texts)
  const told = sentencesOf(text)
    .filter((sentence) => !isCourtesy(sentence) && !isWish(sentence, known) && !isYes(sentence))
    .map((sentence) => [
      ...contentOf(sentence).map((word) => known.has(word)),
      // Whether the passages name the same days is another check.
      ...[...daysIn(sentence)].map(() => true),
      ...numbersWithWords(sentence).map(({ number }) => texts.some((passage) => hasNumber(passage, number))),
    ])
  // A sentence of common words, such as "You must do it", can be compared with nothing.
  return (
    told.length > 0 && told.every((words) => words.length > 0 && words.filter(Boolean).length >= words.length * FOUNDED)
  )
}

/** Returns the words of a message that the knowledge has as well. */
export function sharedWords(message: string, knowledge: readonly Passage[]): string[] {
  const all = knowledge.map(stemsIn)
  return wordsOf(message).filter((word) => !COMMON.has(word) && all.some((stems) => stems.has(stem(word))))
}

/** Whether a reply has words that somebody wrote and no cited passage has, as if it had been told to say them. */
export function echoes(text: string, written: readonly string[], cited: readonly Passage[]): boolean {
  const theirs = stemsOf(written)
  const ours = stemsOf(textsOf(cited))
  // Days are compared by their meaning, and not here.
  const told = wordsOf(withoutCourse(withoutPoliteness(text))).filter(
    (word) => !COMMON.has(word) && !isCourteous(word) && !isDay(word),
  )
  return told.map(stem).some((word) => theirs.has(word) && !ours.has(word))
}

/** How many words a sentence shares with another text. */
const shared = (words: readonly string[], text: string) => {
  const theirs = stemsOf([text])
  return words.filter((word) => theirs.has(word)).length
}
/** Returns the texts that share most of the words, or none if they share no word. */
export function likest(words: readonly string[], texts: readonly string[]): string[] {
  const scores = texts.map((text) => shared(words, text))
  const most = Math.max(0, ...scores)
  return most === 0 ? [] : texts.filter((_, at) => scores[at] === most)
}

/** A no before a statement. What it denies is the question, and not the passage. */
const ANSWERED_NO = /^\s*(?:no|nope|nein|non|nee|não|hayır|لا)\s*[,،]\s*/iu

/** Returns what a passage says: the answer of an entry of the FAQ, without its question. */
export const saidBy = ({ id, text }: Passage) => (id.startsWith('faq:') ? text.slice(text.indexOf('\n') + 1) : text)

/**
 * Whether a sentence of a reply denies what the cited passages say, or the other way round: their sentences that are most
 * similar, those about the same day, and those with a word that they only deny.
 */
export function denies(text: string, cited: readonly Passage[]): boolean {
  const theirs = cited.map(saidBy).map(withoutPoliteness).flatMap(sentencesOf)
  return sentencesOf(withoutPoliteness(text).replace(ANSWERED_NO, '')).some((sentence) => {
    const isDenial = isNegated(sentence)
    if (isCourtesy(sentence) && !isDenial) return false
    const isOpposite = (texts: readonly string[]) =>
      texts.length > 0 && texts.every((each) => isNegated(each) !== isDenial)
    const ofDays = [...daysIn(sentence)].map((day) => theirs.filter((each) => daysIn(each).has(day)))
    if (ofDays.some(isOpposite)) return true
    const similar = likest(allWordsOf(sentence), theirs)
    if (similar.length === 0) return isDenial && !ofDays.some((texts) => texts.length > 0)
    const isOnlyDenied = (word: string) => !isDenial && isOpposite(theirs.filter((each) => stemsOf([each]).has(word)))
    return isOpposite(similar) || contentOf(sentence).some(isOnlyDenied)
  })
}

// ---- copies

/** This many words in a row are a phrase. A part of a question, such as "deliver to Austria", may be repeated. */
const PHRASE = 3
/** This many copied words in a row, or this share of all words, are no coincidence. */
const COPIED = 5
const MOST_COPIED = 0.5
/** A reply is dictated if this share of it is in one run, even if all its phrases are of passages. */
const DICTATED = 0.8

/** Returns the words of a text in order. A sentence without spaces counts by its characters. */
const sequenceOf = (text: string) => wordsOf(text).flatMap((word) => (isUnspaced(word) ? Array.from(word) : [word]))
const phrasesOf = (words: readonly string[], length: number) =>
  words.slice(0, Math.max(0, words.length - length + 1)).map((_, at) => words.slice(at, at + length).join(' '))

/**
 * Whether a reply copies what somebody wrote in the conversation, as if they had dictated it. Phrases of the cited
 * passages do not count, unless the whole reply is dictated and puts together parts of several.
 */
export function copies(text: string, written: readonly string[], cited: readonly Passage[]): boolean {
  const words = sequenceOf(text)
  const length = Math.min(PHRASE, words.length)
  if (length === 0) return false
  const phrases = (texts: readonly string[], count: number) =>
    new Set(texts.flatMap((each) => phrasesOf(sequenceOf(each), count)))
  const theirs = phrases(written, length)
  // What a question of the FAQ asks is not said by it.
  const ours = phrases(cited.map(saidBy), length)
  const isCopied = words.map(() => false)
  let longest = 0
  let run = 0
  phrasesOf(words, length).forEach((phrase, at) => {
    run = theirs.has(phrase) && !ours.has(phrase) ? (run === 0 ? length : run + 1) : 0
    longest = Math.max(longest, run)
    if (run > 0) isCopied.fill(true, at, at + length)
  })
  if (longest >= COPIED || isCopied.filter(Boolean).length > words.length * MOST_COPIED) return true
  const most = Math.ceil(words.length * DICTATED)
  const isDictated = words.length >= PHRASE && phrasesOf(words, most).some((each) => phrases(written, most).has(each))
  return isDictated && !phrases(textsOf(cited), words.length).has(words.join(' '))
}
