import { diffArrays } from 'diff'

export interface Piece {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** The words of a text with what stands between them; the language's own rules say what a word is, in Arabic too. */
function wordsOf(text: string, locale: string): string[] {
  return Array.from(new Intl.Segmenter(locale, { granularity: 'word' }).segment(text), ({ segment }) => segment)
}

const lettersIn = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').length

/** Of so few letters what stayed between two changes is read as part of them. */
const LITTLE = 3

/** The difference of two texts, word by word: in each place first the removed words, then the added ones. */
export function difference(before: string, after: string, locale: string): Piece[] {
  const pieces = diffArrays(wordsOf(before, locale), wordsOf(after, locale)).map(
    ({ added, removed, value }): Piece => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text: value.join(''),
    }),
  )
  const found: Piece[] = []
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

/** If less than this share of the shorter text stayed, marks of both kinds are hard to read. */
const LEAST_COMMON = 0.5

/** Whether so little stayed that the texts are read better one after the other. Where one was only added to, all of it stayed. */
export function isRewritten(pieces: Piece[]): boolean {
  const letters = { same: 0, added: 0, removed: 0 }
  for (const { kind, text } of pieces) letters[kind] += lettersIn(text)
  return letters.same < LEAST_COMMON * (letters.same + Math.min(letters.added, letters.removed))
}
