import { wordsOf } from '../../assistant/ai/words/rules.ts'
import { AGREEMENT, ASSUMED, isNegated } from './binding-words.ts'
import { isCourtesy, withoutPoliteness } from './courtesy.ts'
import { daysIn } from './days.ts'
import { clausesOf, contentOf, likest, saidBy, sentencesOf } from './grounding.ts'
import type { Passage } from './knowledge.ts'
import { numbersWithWords } from './numbers.ts'
import { memoize } from './memoize.ts'

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

/** A point of so many passages, and of this part of all, is what the brand is about, such as "yoga". */
const USUAL = 3

/** Returns the points of a passage, and those of its sentences that deny. */
export const readPoints = memoize(
  (passage: Passage) => ({
    said: new Set(pointsOf(saidBy(passage))),
    denied: sentencesIn([passage]).filter(isNegated).flatMap(pointsOf),
  }),
  (passage) => [passage],
)

/** Returns the points of each passage, those of all sentences that deny, and those that are everywhere. */
function analyze(knowledge: readonly Passage[]) {
  const read = knowledge.map(readPoints)
  const now = {
    said: read.map(({ said }) => said),
    denied: read.flatMap(({ denied }) => denied),
    usual: new Set<string>(),
  }
  const most = Math.max(USUAL, now.said.length / USUAL)
  const counts = new Map<string, number>()
  for (const point of now.said.flatMap((points) => [...points])) counts.set(point, (counts.get(point) ?? 0) + 1)
  for (const [point, count] of counts) if (count >= most) now.usual.add(point)
  return now
}

const analyzed = memoize(analyze, (knowledge) => [knowledge])

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
  // The whole message, since it may say before its question what the knowledge excludes.
  const asked = pointsOf(message)
  const { said, denied, usual } = analyzed(knowledge)
  const meant = said.filter((points) => asked.filter((point) => points.has(point)).length >= MEANT)
  const told = new Set([...denied, ...theirs.flatMap(pointsOf), ...meant.flatMap((points) => [...points])])
  return asked.some(
    (point) => !known.has(point) && ((told.has(point) && !usual.has(point)) || /^(?:day |\d)/.test(point)),
  )
}

/** Marks such as "10/10" and "5 stars". */
const RATING = /(?<!\d)\d+\s*\/\s*\d+|\d\s*(?:stars?|sterne|étoiles|estrellas|stelle|yıldız|نجوم)/giu
/** Words that draw a conclusion after thanks, or ask for something back. */
const CONCLUSION =
  /(?<!\p{L})(?:then (?:i|we)|dann (?:bringe|komme|fahre|hole|nehme)|so (?:i|we)|donc je|entonces|giv(?:e|ing) .{0,40}back)(?!\p{L})/iu

/** Whether a message begins with thanks and asks nothing, whatever the model says of it. */
export const isThanks = (message: string): boolean =>
  !/[?؟？]/u.test(message) &&
  /^\P{L}*(?:thanks?|thx|cheers|danke|vielen dank|merci|gracias|muchas gracias|grazie|obrigad[oa]|bedankt|teşekkür\p{L}*|شكر\p{L}*)(?!\p{L})/iu.test(
    message,
  )

/** Whether a message thanks for something that is not done, or says what only the knowledge may say. */
export function assumes(message: string, named: readonly string[]): boolean {
  const text = withoutPoliteness(message).replaceAll(RATING, ' ')
  return (
    CONCLUSION.test(text) ||
    wordsOf(text).some((word) => /\d/.test(word) || ASSUMED.test(word)) ||
    (named.length > 0 && isNegated(text))
  )
}
