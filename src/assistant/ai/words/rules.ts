/** Invisible characters, between letters or around them. */
export const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu

/** Accents, points and vowel signs that do not distinguish words. In other scripts marks do: か is not が. */
const MARKS = /[\u0300-\u036F\u0591-\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06ED\u08D3-\u08FF]|\u0640/g

/** Letters that readers treat as the same. */
const ONE: Readonly<Record<string, string>> = { ٱ: 'ا', ة: 'ه', ى: 'ي', ی: 'ي', ک: 'ك', ı: 'i', ß: 'ss' }

/** Splits a text into words for comparison, without case, marks and punctuation. */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll(UNSEEN, '')
    .normalize('NFKD')
    .replaceAll(MARKS, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(MARKS, '')
    .replaceAll(/[ٱةىیکıß]/g, (letter) => ONE[letter] ?? letter)
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []

// ---- scripts

/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
export const isUnspaced = (word: string) => UNSPACED.test(word)

const KATAKANA = '[\\p{Script=Katakana}ー]'

/** Letters of Cyrillic and Greek that look like Latin ones. */
const LOOK = {
  а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ғ: 'f', һ: 'h', н: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', о: 'o', р: 'p', ԛ: 'q',
  ѕ: 's', т: 't', ԝ: 'w', х: 'x', у: 'y', α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x',
} as Readonly<Record<string, string>> // prettier-ignore
const LOOK_ALIKE = new RegExp(`[${Object.keys(LOOK).join('')}]`, 'gu')
const asItLooks = (word: string) => word.replaceAll(LOOK_ALIKE, (letter) => LOOK[letter] ?? letter)

const readOf = (text: string) => wordsOf(text).map(asItLooks)

// ---- terms in a text

/** Words that Arabic joins to the next one: and, so, with, like, to, the. */
const BEFORE = /^(?:[وف])?(?:(?:ال|بال|كال|لل)|[بكل])?$/u

/** From this many letters on, a word has a plural and is also found within a hashtag. */
const LONG = 4

const ARABIC = /\p{Script=Arabic}/u
const HANGUL = /\p{Script=Hangul}/u
const ARTICLE = /^ال\p{L}{2,}/u

/** A word of a term, and how it is matched in a text. */
interface TermWord {
  word: string
  as: 'arabic' | 'korean' | 'english' | 'itself'
}

interface Term {
  words: readonly TermWord[]
  /** The words of the term, separated by spaces and joined. */
  text: string
  run: string
  isUnspaced: boolean
  /** Whether it may be written as one word, such as "promocode". "We'll" is not "well". */
  isJoinable: boolean
}

function termOf(text: string): Term {
  // An Arabic word may be listed with its article.
  const words = readOf(text).map((word) => (ARTICLE.test(word) ? word.slice(2) : word))
  const wayOf = (word: string): TermWord['as'] => {
    if (ARABIC.test(word)) return 'arabic'
    if (HANGUL.test(word)) return word.length > 1 ? 'korean' : 'itself'
    return word.length >= LONG && /^[a-z]+$/.test(word) ? 'english' : 'itself'
  }
  const run = words.join('')
  return {
    words: words.map((word) => ({ word, as: wayOf(word) })),
    text: words.join(' '),
    run,
    isUnspaced: isUnspaced(run),
    isJoinable: !/['’]/.test(text),
  }
}

/** Caches parsed terms, since a decision checks the same lists many times. */
const known = new WeakMap<readonly string[], readonly Term[]>()

function readTerms(terms: readonly string[]): readonly Term[] {
  const found = known.get(terms) ?? terms.map(termOf)
  known.set(terms, found)
  return found
}

function isWord(word: string, { word: term, as }: TermWord): boolean {
  if (word === term) return true
  if (as === 'arabic') return word.endsWith(term) && BEFORE.test(word.slice(0, -term.length))
  // Korean adds the grammatical role of a word at its end.
  if (as === 'korean') return word.startsWith(term)
  return as === 'english' && pluralsOf(term).includes(word)
}

const pluralsOf = (term: string) => [
  `${term}s`,
  `${term}es`,
  ...(term.endsWith('y') ? [`${term.slice(0, -1)}ies`] : []),
]

/** A text as terms are looked for in it. */
interface ReadText {
  words: readonly string[]
  whole: string
  /** Hashtags as one word each. */
  tags: readonly string[]
  /** The words as they are written, and the hashtags. */
  joined: ReadonlySet<string>
  /** The places of each word. Keys are also an Arabic word without what is joined before it, and the beginnings of a Korean one. */
  places: ReadonlyMap<string, readonly number[]>
}

/** The longest Arabic words that are joined to the next one, and the longest beginning of a Korean word. */
const LONGEST_BEFORE = 4
const LONGEST_BEGINNING = 20

function readText(text: string): ReadText {
  const seen = text.replaceAll(UNSEEN, '').normalize('NFKC')
  // The words of a hashtag are separated at its capitals.
  const words = readOf(seen.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' '))
  const tags = (seen.match(/#[\p{L}\p{M}\p{N}_]+/gu) ?? []).map((tag) => readOf(tag.replaceAll('_', '')).join(''))
  const places = new Map<string, number[]>()
  for (const [at, word] of words.entries()) {
    for (const key of keysOf(word)) {
      const found = places.get(key)
      if (found) found.push(at)
      else places.set(key, [at])
    }
  }
  return { words, whole: words.join(' '), tags, joined: new Set([...readOf(seen), ...tags]), places }
}

function keysOf(word: string): Set<string> {
  const cut = (most: number, of: (length: number) => string) =>
    Array.from({ length: Math.min(most, word.length - 1) }, (_, index) => of(index + 1))
  const arabic = ARABIC.test(word)
    ? cut(LONGEST_BEFORE, (length) => (BEFORE.test(word.slice(0, length)) ? word.slice(length) : word))
    : []
  const korean = HANGUL.test(word) ? cut(LONGEST_BEGINNING, (length) => word.slice(0, length)) : []
  return new Set([word, ...arabic, ...korean])
}

/** The places at which the words of a term can begin. */
function beginningsOf({ words, places }: ReadText, { word, as }: TermWord): readonly number[] {
  if (as === 'english') return [word, ...pluralsOf(word)].flatMap((each) => places.get(each) ?? [])
  if (as === 'korean' && word.length > LONGEST_BEGINNING) return Array.from(words.keys())
  return places.get(word) ?? []
}

/** The newest text that was read, since many lists of terms are looked for in one. */
let newest: { text: string; read: ReadText } | undefined

/**
 * Returns the terms that a text contains, regardless of case, marks, articles, plural and look-alike letters; in
 * hashtags also within a word. A list of terms must never be mutated, since it is cached.
 */
export function termsIn(text: string, terms: readonly string[]): string[] {
  if (newest?.text !== text) newest = { text, read: readText(text) }
  const { read } = newest
  const { words: there, whole, tags, joined } = read
  const has = ({ words, text: term, run, isUnspaced: isJoined, isJoinable }: Term) => {
    if (run === '') return false
    if (isJoined) return isWithin(whole, term) || tags.some((tag) => isWithin(tag, run))
    const isAt = (at: number) => words.every((word, next) => isWord(there[at + next] ?? '', word))
    if (beginningsOf(read, words[0]!).some(isAt)) return true
    return (
      (words.length > 1 && isJoinable && joined.has(run)) ||
      (run.length >= LONG && tags.some((tag) => tag.includes(run)))
    )
  }
  const asRead = readTerms(terms)
  return terms.filter((_, index) => has(asRead[index]!))
}

/** Whether a sentence without spaces contains a term. A katakana word ends where another script begins. */
function isWithin(text: string, term: string): boolean {
  if (!text.includes(term)) return false
  if (!/^[\p{Script=Katakana}ー]+$/u.test(term)) return true
  return new RegExp(`(?<!${KATAKANA})${term}(?!${KATAKANA})`, 'u').test(text)
}

// ---- topic words

const MIN_WORD = 4
let segmenter: Intl.Segmenter | undefined
const segmentsOf = (word: string) => {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
  return segmenter.segment(word)
}

/** Returns the words that say what a text is about. Scripts without spaces are split by a dictionary. */
export const telling = (text: string): string[] =>
  wordsOf(text).flatMap((word) =>
    isUnspaced(word)
      ? Array.from(segmentsOf(word), ({ segment }) => segment).filter((each) => each.length > 1)
      : word.length >= MIN_WORD || (word.length > 1 && HANGUL.test(word))
        ? [word]
        : [],
  )
