import { isUnspaced, telling, wordsOf } from '../../assistant/ai/words/rules.ts'
import { COMMON } from './common-words.ts'
import { memoize } from './memoize.ts'
import { inPieces, type Steps } from '../../core/platform/pieces.ts'

// What the bot may say comes from passages of the FAQ and the knowledge base. They are searched by words (BM25) in
// memory, because a workspace has only a few hundred.

/** A part of the knowledge that a reply may cite. */
export interface Passage {
  id: string
  text: string
}

export interface Knowledge {
  faqEntries: readonly { question: string; answer: string; tags?: readonly string[] | undefined }[]
  knowledgeBase: Readonly<Record<string, unknown>>
}

/** The maximum number of characters of a passage. */
const LONGEST = 1_200

/**
 * Splits the knowledge into passages: each entry of the FAQ, and each paragraph of the knowledge base with the names
 * above it. Decisions split the same knowledge again and again, and it is never mutated.
 */
export const passagesOf = memoize(split, ({ faqEntries, knowledgeBase }: Knowledge) => [faqEntries, knowledgeBase])

function split({ faqEntries, knowledgeBase }: Knowledge): Passage[] {
  const faq = faqEntries.map(({ question, answer }, at) => ({ id: `faq:${at + 1}`, text: `${question}\n${answer}` }))
  const base = leavesOf(knowledgeBase, []).flatMap(({ path, text }) =>
    paragraphs(text).map((paragraph) => `${path.join(': ')}: ${paragraph}`),
  )
  return [...faq, ...base.map((text, at) => ({ id: `kb:${at + 1}`, text }))]
}

function leavesOf(value: unknown, path: readonly string[]): { path: readonly string[]; text: string }[] {
  if (value === null || value === undefined || value === '') return []
  if (typeof value !== 'object') return [{ path, text: String(value) }]
  const isPlainList = Array.isArray(value) && value.every((each) => typeof each !== 'object')
  if (isPlainList) return value.length === 0 ? [] : [{ path, text: value.join(', ') }]
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, Array.isArray(value) ? path : [...path, name]))
}

/** Splits a text into paragraphs. Long ones are split further, at the end of a sentence if possible. */
function paragraphs(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .flatMap((paragraph) => (paragraph.length <= LONGEST ? [paragraph] : parts(paragraph)))
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

function parts(paragraph: string): string[] {
  const all: string[] = []
  let part = ''
  for (const sentence of paragraph.split(/(?<=[.!?؟。]\s|\n)/u)) {
    for (let rest = sentence; rest !== ''; rest = rest.slice(LONGEST)) {
      const piece = rest.slice(0, LONGEST)
      if (part.length + piece.length > LONGEST) {
        all.push(part)
        part = ''
      }
      part += piece
    }
  }
  return [...all, part]
}

// ---- words

/** Words with this many first letters in common have one stem, as in "vegan" and "veganem". */
const STEM = 5

/** Returns a rough stem: the first letters, without common English endings, and without Arabic articles and owners. */
export const stem = (word: string) =>
  Array.from(
    /^[a-z]{4,}$/.test(word)
      ? word.replace(/(?:ies|es|(?<!s)s|ing|ed|e|y)$/, '')
      : word
          .replace(/^(?:وال|بال|كال|لل|ال)(?=\p{L}{3})/u, '')
          .replace(/(?<=[\u0621-\u064A]{3})(?:ت(?:نا|كم|هم|ها)|(?:نا|كم|هم|ها))$/u, (owner) =>
            owner.startsWith('ت') ? 'ه' : '',
          ),
  )
    .slice(0, /\d/.test(word) || isUnspaced(word) ? undefined : STEM)
    .join('')

/** Returns the stems of the words that show what a text is about. */
export const wordsAbout = (text: string): string[] => {
  const long = new Set(telling(text))
  const words = wordsOf(text).filter((word) => long.has(word) || /\d/.test(word) || word.length === 3)
  return [...new Set(words.filter((word) => !COMMON.has(word)).map(stem))]
}

// ---- retrieval

/** Knowledge with at most this many characters is used whole. */
const WHOLE = 8_000
/** The maximum number of passages from longer knowledge. */
export const MOST_PASSAGES = 12
/** The usual parameters of BM25: k1 for repeated words, b for the length of a passage. */
const K1 = 1.2
const B = 0.75

interface Counted {
  passage: Passage
  words: Map<string, number>
  length: number
}

const counted = memoize(count, (passage: Passage) => [passage])

function count(passage: Passage): Counted {
  const words = new Map<string, number>()
  const about = new Set(wordsAbout(passage.text))
  const all = wordsOf(passage.text).map(stem)
  for (const word of all) if (about.has(word)) words.set(word, (words.get(word) ?? 0) + 1)
  return { passage, words, length: all.length }
}

interface Index {
  all: readonly Counted[]
  /** The mean length of a passage. */
  mean: number
  /** How many passages have each word. */
  having: ReadonlyMap<string, number>
}

function index(passages: readonly Passage[]): Index {
  const all = passages.map(counted)
  const having = new Map<string, number>()
  for (const { words } of all) for (const word of words.keys()) having.set(word, (having.get(word) ?? 0) + 1)
  return { all, mean: all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length), having }
}

/** Counts the words of all passages once, since a thousand questions may be compared with them. */
const indexOf = memoize(index, (passages) => [passages])

/** Counts the words of knowledge in pieces, so that later decisions find them counted. */
export const countWords = (knowledge: Knowledge): Promise<void> => inPieces(countingOf(passagesOf(knowledge)))

function* countingOf(passages: readonly Passage[]): Steps<void> {
  for (const passage of passages) {
    counted(passage)
    yield undefined
  }
}

/** Returns how rare a word is: the fewer passages have it, the higher. */
const rarity = (having: number, all: number) => Math.log(1 + (all - having + 0.5) / (having + 0.5))

/** A passage and how well it matches a question. The score is 0 if they share no word. */
export interface Scored {
  passage: Passage
  score: number
}

/** Scores all passages for a question, the best first. */
export function scoresOf(passages: readonly Passage[], question: string, search: readonly string[]): Scored[] {
  const { all, mean, having } = indexOf(passages)
  const asked = [...new Set([...wordsAbout(question), ...wordsAbout(search.join(' '))])].filter((word) =>
    having.has(word),
  )
  const scored = all.map(({ passage, words, length }) => {
    const score = asked.reduce((sum, word) => {
      const count = words.get(word) ?? 0
      if (count === 0) return sum
      return (
        sum +
        (rarity(having.get(word) ?? 0, all.length) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / mean))
      )
    }, 0)
    return { passage, score }
  })
  return scored.toSorted((a, b) => b.score - a.score)
}

/** Whether the knowledge is short enough for the bot to get all of it with every question. */
export const isGivenWhole = (passages: readonly Passage[]): boolean =>
  passages.reduce((sum, { text }) => sum + text.length, 0) <= WHOLE

/** This many characters show the language of the knowledge. */
const SAMPLE = 20_000

/**
 * Returns enough of the knowledge to tell its language: all of it, or the end of each passage. The beginning may be names
 * in another language.
 */
export function sampleOf(passages: readonly Passage[]): string {
  const whole = passages.reduce((sum, { text }) => sum + text.length, 0)
  const each = whole <= SAMPLE ? whole : Math.ceil(SAMPLE / passages.length)
  return passages.map(({ text }) => text.slice(-each)).join('\n')
}

/** Returns the passages that may answer a question, the best first. */
export function retrieve(passages: readonly Passage[], question: string, search: readonly string[]): Passage[] {
  const ordered = scoresOf(passages, question, search)
  const given = isGivenWhole(passages) ? ordered : ordered.filter(({ score }) => score > 0).slice(0, MOST_PASSAGES)
  return given.map(({ passage }) => passage)
}

/**
 * Returns how much of a question the cited passages cover, from 0 to 1: the share of its words, weighted by their
 * rarity in the knowledge. With `own` the words of the message count. Otherwise only the words count that the model
 * searched for in the knowledge's language.
 */
export function evidence(
  knowledge: readonly Passage[],
  cited: readonly Passage[],
  { question, search, own }: { question: string; search: readonly string[]; own: boolean },
): number {
  const { all, having } = indexOf(knowledge)
  const said = new Set(cited.flatMap((passage) => [...counted(passage).words.keys()]))
  const asked = [...new Set([...(own ? wordsAbout(question) : []), ...wordsAbout(search.join(' '))])]
  const weighed = asked.map((word) => ({
    weight: rarity(having.get(word) ?? 0, all.length),
    isSaid: said.has(word),
  }))
  const whole = weighed.reduce((sum, { weight }) => sum + weight, 0)
  if (whole === 0) return 0
  return weighed.reduce((sum, { weight, isSaid }) => sum + (isSaid ? weight : 0), 0) / whole
}
