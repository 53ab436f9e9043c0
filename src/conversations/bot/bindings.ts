import { wordsOf } from '../../assistant/ai/words/rules.ts'
import { ALL } from './binding-words.ts'
import { isCourtesy } from './courtesy.ts'
import { daysIn, daysInRanges } from './days.ts'
import { clausesOf, contentOf, likest, saidBy, sentencesOf, stemsOf, textsOf } from './grounding.ts'
import type { Passage } from './knowledge.ts'
import { hasNumber, numbersWithWords } from './numbers.ts'

// What a reply may not give to something else than the cited passages do: their offers, numbers and items of lists.

/** The minimum share of the words around an offer that a reply must name, since they are its conditions. */
const CONDITIONS = 0.6

/**
 * Whether a sentence of a reply offers what no cited sentence offers for the same things: with all of its words that the
 * passages know, most of the words around the offer, and the number that the offer depends on.
 */
export function movesOffer(
  text: string,
  cited: readonly Passage[],
  offersIn: (text: string) => readonly (readonly string[])[],
): boolean {
  const theirs = cited.map(saidBy).flatMap(sentencesOf)
  const known = stemsOf(theirs)
  const numbers = (said: string) => numbersWithWords(said).map(({ number }) => number)
  const told = new Set([...contentOf(text), ...numbers(text)])
  return sentencesOf(text).some((sentence) =>
    offersIn(sentence).some((offer) => {
      const own = stemsOf(offer)
      const wordsAround = (said: string) => contentOf(said).filter((word) => known.has(word) && !own.has(word))
      const offering = (said: string) => clausesOf(said).filter((clause) => offersIn(clause).includes(offer))
      const [near, all] = [offering(sentence).flatMap(wordsAround), wordsAround(sentence)]
      const words = near.length > 0 ? near : all
      return !theirs.some((each) =>
        offering(each).some((clause) => {
          const around = wordsAround(clause)
          // A clause such as "and free above 50" has its subject before it.
          const place = stemsOf([words.some((word) => around.includes(word)) ? clause : each])
          const conditions = numbers(clause)
          return (
            words.every((word) => place.has(word)) &&
            around.filter((word) => told.has(word)).length >= around.length * CONDITIONS &&
            (conditions.length === 0 || conditions.some((number) => told.has(number)))
          )
        }),
      )
    }),
  )
}

/** Whether a reply takes a number from another passage than the one that its words, and those of the message, are from. */
export function mixesNumbers(text: string, message: string, cited: readonly Passage[]): boolean {
  if (cited.length < 2) return false
  const asked = contentOf(message)
  return sentencesOf(text)
    .flatMap(numbersWithWords)
    .some(({ number, words }) => {
      const similar = likest([...contentOf(words.join(' ')), ...asked], textsOf(cited))
      return similar.length > 0 && !similar.some((passage) => hasNumber(passage, number))
    })
}

const AND = /\s(?:and|or|und|oder|sowie|et|ou|y|e|ve|och)\s|\sو(?=\p{L})|\s&\s/iu
/** "Every day" is compared as days are. */
const DAILY_PHRASE =
  /every day|all week|jeden tag|alle tage|tous les jours|chaque jour|todos los días|cada día|tutti i giorni|ogni giorno|كل يوم|كل أيام/giu

/** Whether a reply says of all what the cited passages say of some. */
export const widens = (text: string, cited: readonly Passage[]): boolean =>
  sentencesOf(text).some((sentence) => ALL.test(sentence.replaceAll(DAILY_PHRASE, ' ')) && !isCourtesy(sentence)) &&
  !textsOf(cited).some((passage) => ALL.test(passage))

/** Returns the parts of a text between commas and words such as "and", which may join two prices. */
const partsOf = (text: string) => clausesOf(text).flatMap((clause) => clause.split(AND))

/** So many words or fewer between commas are an item of a list. */
const ITEM = 3

/** Whether a reply adds an item to a list of the cited passages, such as "milk" to "flour, water and salt". */
export function addsItem(text: string, cited: readonly Passage[]): boolean {
  const texts = textsOf(cited)
  const known = stemsOf([...texts, ...texts.flatMap(partsOf)])
  return sentencesOf(text).some((sentence) => {
    const items = partsOf(sentence)
      .filter((item) => !isCourtesy(item))
      .map((item) => ({ words: contentOf(item), length: wordsOf(item).length }))
      .filter(({ words }) => words.length > 0)
    const isKnown = items.map(({ words }) => words.some((word) => known.has(word)))
    return isKnown.includes(true) && items.some(({ length }, at) => length <= ITEM && !isKnown[at])
  })
}

/** Returns the parts of a text that have numbers, each with the parts without numbers before it. */
const statementsOf = (text: string) =>
  sentencesOf(text).flatMap((sentence) => {
    const statements: { words: string[]; days: Set<number>; numbers: string[] }[] = []
    let before = ''
    for (const part of partsOf(sentence)) {
      const said = `${before} ${part}`
      const numbers = numbersWithWords(part).map(({ number }) => number)
      before = numbers.length > 0 ? '' : said
      if (numbers.length > 0)
        statements.push({ words: contentOf(said), days: new Set([...daysIn(said), ...daysInRanges(said)]), numbers })
    }
    return statements
  })

/**
 * Whether a reply gives a number to something that a cited passage gives another number: a price, an hour or an amount of
 * the statement beside it.
 */
export function swapsNumbers(text: string, cited: readonly Passage[]): boolean {
  return cited.some((passage) => {
    const theirs = statementsOf(saidBy(passage))
    return statementsOf(text).some(({ words, days, numbers }) =>
      numbers.some((number) => {
        const own = theirs.filter((each) => each.numbers.includes(number))
        const others = theirs.filter((each) => !each.numbers.includes(number))
        if (own.length === 0) return false
        const isOwn = (word: string) => own.some((each) => each.words.includes(word))
        const isOther = (word: string) => others.some((each) => each.words.includes(word))
        const isOwnDay = (day: number) => own.some((each) => each.days.has(day))
        if (own.every((each) => each.days.size > 0) && [...days].some((day) => !isOwnDay(day))) return true
        const isOwnOnly = (word: string) => isOwn(word) && !isOther(word)
        return (
          own.every((each) => each.words.some(isOwnOnly)) &&
          !words.some(isOwnOnly) &&
          words.some((word) => isOther(word) && !isOwn(word))
        )
      }),
    )
  })
}
