import { diffArrays } from 'diff'

export interface WordPiece {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Splits a text into words and separators, by the rules of its language, including Arabic. */
function wordsOf(text: string, locale: string): string[] {
  return Array.from(new Intl.Segmenter(locale, { granularity: 'word' }).segment(text), ({ segment }) => segment)
}

const lettersIn = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').length

/** An unchanged piece between two changes counts as changed if it has at most this many letters. */
const LITTLE = 3

/** The difference between two texts, word by word. At each place, removed words come before added ones. */
export function difference(before: string, after: string, locale: string): WordPiece[] {
  const pieces = diffArrays(wordsOf(before, locale), wordsOf(after, locale)).map(
    ({ added, removed, value }): WordPiece => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text: value.join(''),
    }),
  )
  const found: WordPiece[] = []
  let [removed, added] = ['', '']
  const end = () => {
    if (removed) found.push({ kind: 'removed', text: removed })
    if (added) found.push({ kind: 'added', text: added })
    removed = added = ''
  }
  for (const [index, piece] of pieces.entries()) {
    const { kind, text } = piece
    const isBetween = removed !== '' && added !== '' && index < pieces.length - 1 && lettersIn(text) <= LITTLE
    if (kind !== 'added' && (kind === 'removed' || isBetween)) removed += text
    if (kind !== 'removed' && (kind === 'added' || isBetween)) added += text
    if (kind !== 'same' || isBetween) continue
    end()
    found.push(piece)
  }
  end()
  return found
}

/** Below this unchanged share of the shorter text, inline marks are hard to read. */
const LEAST_COMMON = 0.5

/**
 * Whether so little is unchanged that the texts read better one after the other. A text that was only extended is fully
 * unchanged.
 */
export function isRewritten(pieces: WordPiece[]): boolean {
  const letters = { same: 0, added: 0, removed: 0 }
  for (const { kind, text } of pieces) letters[kind] += lettersIn(text)
  return letters.same < LEAST_COMMON * (letters.same + Math.min(letters.added, letters.removed))
}
