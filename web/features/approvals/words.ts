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
