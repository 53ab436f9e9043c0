import { diffArrays } from 'diff'

export interface Piece {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** The words of a text with what stands between them; the language's own rules say what a word is, in Arabic too. */
function wordsOf(text: string, locale: string): string[] {
  return Array.from(new Intl.Segmenter(locale, { granularity: 'word' }).segment(text), ({ segment }) => segment)
}

/** What became of a text, word by word. */
export const difference = (before: string, after: string, locale: string): Piece[] =>
  diffArrays(wordsOf(before, locale), wordsOf(after, locale)).map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }))

/** Where less than this of the shorter text stayed, what came and went are in each other's way. */
const LEAST_COMMON = 0.4

const lettersIn = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').length

/** Whether so little stayed that the texts are read better one after the other. Where one was only added to, all of it stayed. */
export function isRewritten(pieces: Piece[]): boolean {
  const letters = { same: 0, added: 0, removed: 0 }
  for (const { kind, text } of pieces) letters[kind] += lettersIn(text)
  return letters.same < LEAST_COMMON * (letters.same + Math.min(letters.added, letters.removed))
}
