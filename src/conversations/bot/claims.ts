import { wordsOf } from '../../assistant/ai/words/rules.ts'
import { AGREEMENT, ASSUMED, isNegated } from './binding-words.ts'
import { isCourtesy, withoutPoliteness } from './courtesy.ts'
import { daysIn } from './days.ts'
import { clausesOf, contentOf, likest, saidBy, sentencesOf } from './grounding.ts'
import type { Passage } from './knowledge.ts'
import { numbersWithWords } from './numbers.ts'

// What a reply claims without saying it: a yes to a question, a fact that it only repeats, thanks for a promise.

/** Returns what a text says: its stems, numbers and days. */
const pointsOf = (text: string): string[] => [
  ...contentOf(text),
  ...numbersWithWords(text).map(({ number }) => number),
  ...[...daysIn(text)].map((day) => `day ${day}`),
]

const sentencesIn = (cited: readonly Passage[]) => cited.map(saidBy).flatMap(sentencesOf)

/**
 * Whether a reply says nothing that people did not write before it, as an order or a question in other words does. A
 * whole sentence of a cited passage may be repeated.
 */
export function repeatsOnly(text: string, written: readonly string[], cited: readonly Passage[]): boolean {
  const told = new Set(
    sentencesOf(text)
      .filter((sentence) => !isCourtesy(sentence))
      .flatMap(pointsOf),
  )
  const theirs = new Set(written.flatMap(pointsOf))
  if (told.size === 0 || [...told].some((point) => !theirs.has(point))) return false
  return !sentencesIn(cited).some((sentence) => {
    const points = pointsOf(sentence)
    return points.length > 0 && points.every((point) => told.has(point))
  })
}

/** Returns the questions of a message, or the whole message if it has none. */
function questionOf(message: string): string {
  const questions = sentencesOf(message).filter((sentence) => /[?؟？]/u.test(sentence))
  return questions.length > 0 ? questions.join(' ') : message
}

/** A passage that is not cited is meant by a question with this many of its words. */
const MEANT = 2

/**
 * Whether a reply says yes to more than it goes on to say. What the question names must be in the reply, or in what the
 * sentences that it is from affirm, if it is a day or a number, or if the knowledge says more about it: elsewhere in the
 * cited passages, in a denial, or in another passage about the question.
 */
export function agreesBlindly(
  text: string,
  message: string,
  cited: readonly Passage[],
  knowledge: readonly Passage[],
): boolean {
  if (!AGREEMENT.test(withoutPoliteness(text))) return false
  const theirs = sentencesIn(cited)
  const affirmed = sentencesOf(text)
    .filter((sentence) => !isCourtesy(sentence))
    .flatMap((sentence) => likest(contentOf(sentence), theirs))
    .flatMap(clausesOf)
    .filter((clause) => !isNegated(clause))
  const known = new Set([text, ...affirmed].flatMap(pointsOf))
  const asked = pointsOf(questionOf(message))
  const others = knowledge.map((passage) => pointsOf(saidBy(passage)))
  const meant = others.filter((points) => asked.filter((point) => points.includes(point)).length >= MEANT)
  const denied = sentencesIn(knowledge).filter(isNegated).map(pointsOf)
  const told = new Set([...theirs.map(pointsOf), ...meant, ...denied].flat())
  return asked.some((point) => !known.has(point) && (told.has(point) || /^(?:day |\d)/.test(point)))
}

/** Whether a message thanks for something that is not done, or says what only the knowledge may say. */
export function assumes(message: string): boolean {
  const words = wordsOf(withoutPoliteness(message))
  return words.some((word) => /\d/.test(word) || ASSUMED.test(word)) || isNegated(withoutPoliteness(message))
}
