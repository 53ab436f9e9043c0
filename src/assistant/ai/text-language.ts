import { francAll } from 'franc-min'
import { referencesIn } from './references.ts'
import { byScript, lettersOf } from './scripts.ts'

// The language that a text is written in, told by its script and its words.

/** Removes the parts of a text that say nothing about its language. */
const spoken = (text: string) =>
  referencesIn(text)
    .rest.replaceAll(/#[\p{L}\p{M}\p{N}_]+/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}\s'’]+/gu, ' ')

const LETTERS = /\p{L}/gu
/** With fewer letters the intended script is unclear: the text may be a name. */
const FEW_LETTERS = 8
/** From this many letters on, words reveal the language. */
const ENOUGH_LETTERS = 80
/** A text counts as another language only if the likelihood of its own is below this share. */
const UNLIKELY = 0.8

const countOf = (text: string, letters: RegExp) => text.match(letters)?.length ?? 0

/** ISO 639-3 codes, which the detector uses. Other languages are not judged by words. */
const detected: Readonly<Record<string, string>> = {
  en: 'eng', ar: 'arb', fr: 'fra', es: 'spa', de: 'deu', it: 'ita', pt: 'por', nl: 'nld', pl: 'pol', tr: 'tur', ru: 'rus',
  uk: 'ukr', fa: 'pes', ur: 'urd', id: 'ind', sv: 'swe', cs: 'ces', ro: 'ron', hu: 'hun', vi: 'vie', hi: 'hin', el: 'ell',
  he: 'heb', ja: 'jpn', ko: 'kor', zh: 'cmn', th: 'tha', bn: 'ben', bg: 'bul', sr: 'srp', mr: 'mar', ta: 'tam',
} // prettier-ignore
/** Languages that the detector confuses. Mixing them up is not a fault. */
const alike: readonly (readonly string[])[] = [
  ['spa', 'por', 'glg', 'cat'],
  ['ces', 'slk'],
  ['bos', 'hrv', 'srp', 'slv'],
  ['dan', 'nob', 'nno', 'swe'],
  ['ind', 'zlm', 'jav', 'sun'],
  ['rus', 'bel', 'ukr', 'bul', 'srp', 'mkd'],
  ['pes', 'prs', 'ckb'],
  ['nld', 'afr'],
  ['hin', 'mar', 'npi', 'mai', 'bho'],
  ['tur', 'aze', 'azj', 'uzn'],
]
const lookAlike = (a: string, b: string) => a === b || alike.some((group) => group.includes(a) && group.includes(b))

/**
 * Whether a text is in another language than requested: judged by its script first, and by its words only if they are
 * clear. A short text, or one in a language that cannot be detected, is accepted.
 */
export function isInAnother(text: string, code: string): boolean {
  const words = spoken(text)
  const all = countOf(words, LETTERS)
  if (all < FEW_LETTERS) return false
  const letters = lettersOf(code)
  if (letters && countOf(words, letters) < all / (all < ENOUGH_LETTERS ? 4 : 2)) return true
  const wanted = detected[new Intl.Locale(code).language]
  if (wanted === undefined || all < ENOUGH_LETTERS) return false
  const [[most, sure] = ['und', 0], ...others] = francAll(words)
  if (sure === 0 || most === 'und' || lookAlike(most, wanted)) return false
  const own = others.find(([each]) => each === wanted)?.[1] ?? 0
  return own < UNLIKELY
}

/** So few words in Latin letters may be a name, which occurs in texts of every script. */
const FEW_WORDS = 4

/**
 * Returns the language of a text as BCP 47: by its words if there are `enough` letters and they are clear, else by its
 * script. Undefined if it may as well be `usual`.
 */
export function tellLanguage(text: string, usual: string, enough = ENOUGH_LETTERS): string | undefined {
  const words = spoken(text)
  return (countOf(words, LETTERS) >= enough ? ofWords(words, usual) : undefined) ?? ofScript(words, usual)
}

function ofWords(words: string, usual: string): string | undefined {
  const [[most, sure] = ['und', 0], ...others] = francAll(words)
  const own = detected[new Intl.Locale(usual).language] ?? ''
  if (sure === 0 || (others[0]?.[1] ?? 0) > 0.97 || lookAlike(most, own)) return undefined
  if (others.some(([each, likely]) => each === own && likely > UNLIKELY)) return undefined
  return Object.keys(detected).find((code) => detected[code] === most)
}

function ofScript(words: string, usual: string): string | undefined {
  const all = countOf(words, LETTERS)
  const own = countOf(words, lettersOf(usual) ?? LETTERS)
  const isLatin = new Intl.Locale(usual).maximize().script === 'Latn'
  const [most] = byScript
    .filter(({ code }) => code !== 'en')
    .map(({ letters, code }) => ({ code, count: countOf(words, letters) }))
    .toSorted((a, b) => b.count - a.count)
  if (most && most.count > 1 && most.count >= all / 4) return isLatin || own < most.count ? most.code : undefined
  return own > all / 4 || words.trim().split(/\s+/).length < FEW_WORDS ? undefined : 'en'
}
