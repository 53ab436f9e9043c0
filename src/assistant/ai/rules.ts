import type { Role } from '../../core/http/endpoint.ts'
import type { Change, Dropped, Finding, Kind, Option, Reason } from './api.ts'
import { isUnspaced, telling, termsIn, wordsOf } from './words/rules.ts'

/** The maximum number of characters of a caption that the model gets, as the contract says. */
export const MOST_CAPTION = 10_000

/** The price of a successful call, in credits. */
export const COSTS: Readonly<Record<Kind, number>> = {
  caption: 1,
  rewrite: 1,
  hashtags: 1,
  cta: 1,
  translate: 1,
  image: 10,
  suggestions: 1,
  voice: 1,
  alt_text: 1,
}

const WITHOUT_WORD = 3
const HASHTAGS_WITHOUT_WORD = 10

/** Returns how many answers the model is asked for; for hashtags, the number of hashtags. */
export function answersOf(
  kind: Kind,
  { count, change }: { count?: number | undefined; change?: Change | undefined },
): number {
  if (kind === 'hashtags') return count ?? HASHTAGS_WITHOUT_WORD
  if (change === 'spelling') return 1
  return kind === 'caption' || kind === 'rewrite' || kind === 'cta' ? (count ?? WITHOUT_WORD) : 1
}

// ---- length

export type Length = 'short' | 'medium' | 'long-form'

/** Characters of each class; `short` has at most two lines. A length between two classes fits both. */
export const LENGTHS: Readonly<Record<Length, { min: number; best: number; max: number; lines: number | null }>> = {
  short: { min: 1, best: 110, max: 220, lines: 2 },
  medium: { min: 80, best: 320, max: 900, lines: null },
  'long-form': { min: 250, best: 1100, max: 4000, lines: null },
}

/**
 * Returns the length of a text for readers: a letter of Chinese, Japanese or Korean counts as two and a half others.
 */
export function weightOf(text: string): number {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return Array.from(text).length + Math.round(dense * 1.5)
}

/** The ratio of lengths from which people notice a difference. */
const APART = 1.1
export const isShorter = (text: string, than: string) => weightOf(text) * APART <= weightOf(than)
export const isLonger = (text: string, than: string) => isShorter(than, text)

/** A text shorter than this cannot be shortened. */
const LEAST = 40
export const canShorten = (text: string) => weightOf(text.trim()) >= LEAST

/** Returns the beginning of a text, at most `longest` long and without half a surrogate pair at its end. */
export const cut = (text: string, longest: number): string => text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')

// ---- likeness

const known = new WeakMap<object, ReadonlySet<string>>()

/** Returns the three-letter pieces of a text, computed once for each option. */
function piecesOf(option: Pick<Option, 'text'>): ReadonlySet<string> {
  let pieces = known.get(option)
  if (!pieces) {
    const all = wordsOf(option.text).join(' ')
    pieces = new Set(Array.from({ length: Math.max(1, all.length - 2) }, (_, at) => all.slice(at, at + 3)))
    known.set(option, pieces)
  }
  return pieces
}

/** Returns the similarity of two texts, from 0 to 1: the share of three-letter pieces that both have. */
export function likeness(a: Pick<Option, 'text'>, b: Pick<Option, 'text'>): number {
  const [left, right] = [piecesOf(a), piecesOf(b)]
  let shared = 0
  for (const piece of left) if (right.has(piece)) shared += 1
  return shared / (left.size + right.size - shared)
}

/** From this similarity on, two options look the same to a person who chooses between them. */
export const SAME = 0.8

/** Whether at most `most` letters must be added, removed or changed to turn one text into the other. */
function isWithin(most: number, a: string, b: string): boolean {
  let last = Array.from({ length: b.length + 2 }, (_, at) => at)
  let next = last.map(() => Infinity)
  for (let row = 1; row <= a.length; row += 1) {
    // Cells further from the diagonal need more changes than allowed.
    const [from, to] = [Math.max(1, row - most), Math.min(b.length, row + most)]
    next[from - 1] = from === 1 ? row : Infinity
    for (let at = from; at <= to; at += 1) {
      const changed = (last[at - 1] ?? 0) + (a[row - 1] === b[at - 1] ? 0 : 1)
      next[at] = Math.min(changed, (last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1)
    }
    next[to + 1] = Infinity
    ;[last, next] = [next, last]
  }
  return (last[b.length] ?? 0) <= most
}

/**
 * How many letters a correction may change: a quarter of the longer text, but at least `ANY_FEW` and at most `MANY`.
 */
const ONE_OF = 4
const ANY_FEW = 4
const MANY = 400

/**
 * Whether a text differs from another only by mistakes, comparing the letters of its words without case and
 * punctuation.
 */
export function isCorrection(text: string, of: string): boolean {
  const [mine, theirs] = [wordsOf(text).join(' '), wordsOf(of).join(' ')]
  const longest = Math.max(mine.length, theirs.length)
  const most = Math.min(MANY, Math.max(ANY_FEW, Math.floor(longest / ONE_OF)))
  return Math.abs(mine.length - theirs.length) <= most && isWithin(most, mine, theirs)
}

// ---- ranking

/** The criteria for options. */
export interface Measure {
  /** The text that states the topic; null if there is none, or if it is in another language. */
  about: string | null
  length: Length | null
  /** The requested change of length. */
  change: Change | null
  /** Words and phrases of the voice; null without a voice. */
  terms: readonly string[] | null
  /** The characters that the network accepts; null if no network was named. */
  characters: number | null
}

/** From this score on, a criterion is named as a strength. */
const WELL = 0.6

const share = (parts: readonly boolean[]) => parts.filter(Boolean).length / Math.max(1, parts.length)

function covers({ text, cta = '' }: Written, about: string | null): number | null {
  if (about === null) return null
  const wanted = [...new Set(telling(about))].slice(0, 12)
  if (wanted.length === 0) return null
  const there = wordsOf(`${text} ${cta}`)
  const all = there.join(' ')
  // Other forms of a word count too, if the first five letters match.
  return share(
    wanted.map((word) =>
      isUnspaced(word) ? all.includes(word) : there.some((other) => other.startsWith(word.slice(0, 5))),
    ),
  )
}

function rightLength({ text }: Written, length: Length | null): number | null {
  if (length === null) return null
  const { min, best, max } = LENGTHS[length]
  const weight = weightOf(text)
  const room = weight < best ? best - min : max - best
  return Math.max(0, 1 - Math.abs(weight - best) / (2 * room))
}

function inVoice({ text, cta = '', hashtags = [] }: Written, terms: readonly string[] | null): number | null {
  if (terms === null || terms.length === 0) return null
  const used = termsIn([text, cta, ...hashtags].join('\n'), terms).length
  return Math.min(1, used / Math.min(2, terms.length))
}

/** Networks show the first words and fold the rest: a text fits if it makes its point before that and leaves room. */
function fits({ text, hashtags = [] }: Written, characters: number | null): number | null {
  if (characters === null) return null
  const [first = ''] = text.split('\n')
  const room = 1 - Math.min(1, weightOf(text) / characters)
  return 0.6 * Math.min(1, 125 / Math.max(125, weightOf(first))) + 0.2 * room + (hashtags.length > 10 ? 0 : 0.2)
}

type Written = Pick<Option, 'text' | 'hashtags' | 'cta'>

/** The lead in a criterion that makes an option stand out. */
const AHEAD = 0.1

/** Returns the features of an option that no other has. Length counts only if the request allows it. */
function apart({ text }: Written, others: readonly Written[], { length, change }: Measure): Reason[] {
  if (others.length === 0) return []
  const texts = others.map((other) => other.text)
  const wish = change ?? length
  const asks = (each: Written) => /[?\u037E\u055E\u061F\uFF1F]/u.test(each.text)
  const told: [Reason, boolean][] = [
    ['shortest', [null, 'short', 'shorter'].includes(wish) && texts.every((other) => isShorter(text, other))],
    ['longest', [null, 'long-form', 'longer'].includes(wish) && texts.every((other) => isLonger(text, other))],
    ['asks_question', asks({ text }) && !others.some(asks)],
  ]
  return told.flatMap(([reason, is]) => (is ? [reason] : []))
}

/** Returns the score of an option in each criterion that can be measured, compared with the other options. */
function criteria(option: Written, others: readonly Written[], by: Measure): Map<Reason, number> {
  const closest = Math.max(0, ...others.map((other) => likeness(option, other)))
  const all: [Reason, number | null][] = [
    ['covers_brief', covers(option, by.about)],
    ['right_length', rightLength(option, by.length)],
    ['in_voice', inVoice(option, by.terms)],
    ['fits_network', fits(option, by.characters)],
    ['unlike_others', others.length === 0 ? null : 1 - closest],
  ]
  return new Map(all.filter((each): each is [Reason, number] => each[1] !== null))
}

/** Measures options. Where one does clearly better than another, only the better one gets that reason. */
function measureAll<W extends Written>(options: readonly W[], by: Measure): (W & Option)[] {
  const others = options.map((option) => options.filter((other) => other !== option))
  const known = options.map((option, at) => criteria(option, others[at] ?? [], by))
  const best = (reason: Reason) => Math.max(...known.map((each) => each.get(reason) ?? 0))
  return options.map((option, at) => {
    const own = [...(known[at] ?? [])]
    const mean = own.length === 0 ? 1 : own.reduce((sum, [, value]) => sum + value, 0) / own.length
    const well = own.filter(([reason, value]) => value >= WELL && value > best(reason) - AHEAD)
    return {
      ...option,
      score: Math.round(mean * 1000) / 1000,
      reasons: [...apart(option, others[at] ?? [], by), ...well.map(([reason]) => reason)],
    }
  })
}

/** Measures one option, compared with the others. */
export const measured = <W extends Written>(option: W, others: readonly Written[], by: Measure): W & Option =>
  measureAll<Written>([option, ...others], by)[0] as W & Option

/** Sorts options best first. The order in which they arrived makes no difference. */
export const ranked = <W extends Written>(options: readonly W[], by: Measure): (W & Option)[] =>
  measureAll(options, by).toSorted((a, b) => b.score - a.score || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))

// ---- dropped answers

/** Counts dropped answers by their worst fault. Answers that the model did not write count as missing. */
export function droppedOf(asked: number, passed: number, wrong: readonly Finding[]): Dropped[] {
  const short = Math.max(0, asked - passed)
  const codes = wrong.slice(0, short)
  const counts = new Map<Finding, number>()
  for (const code of [...codes, ...Array<Finding>(short - codes.length).fill('missing')]) {
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts].map(([code, count]) => ({ code, count }))
}

// ---- permission

/** Whether a role may edit posts. The person who asked may have lost that role since. */
export const mayEdit = (role: Role | null) => role === 'OWNER' || role === 'ADMIN' || role === 'EDITOR'
