/** The part of a text that a network shows before a reader asks for more. */
export interface Cut {
  signs: number
  lines: number
}

/** The part of a text that is shown; the whole text where it is short enough. Never ends within a sign, and rather between words. */
export function cutAt(text: string, { signs, lines }: Cut): string {
  const visible = text.split('\n').slice(0, lines).join('\n')
  const all = Array.from(visible)
  if (all.length <= signs) return visible.length < text.length ? visible.trimEnd() : text
  const cut = all.slice(0, signs).join('')
  const space = cut.search(/\s\S*$/)
  // A last word that is very long is broken.
  return (space > signs * 0.7 ? cut.slice(0, space) : cut).trimEnd()
}

export interface Piece {
  text: string
  /** A link, a hashtag or a mention: networks colour them. */
  marked: boolean
}

const MARKED = /https?:\/\/[^\s]*[^\s.,;:!?)\]}"'»”]|(?<![\p{L}\p{N}_&/])[#@][\p{L}\p{N}_][\p{L}\p{N}_.]*(?<!\.)/gu

/** A text in pieces: what a network makes a link of, and what stands between. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(MARKED)) {
    if (index > end) pieces.push({ text: text.slice(end, index), marked: false })
    pieces.push({ text: found, marked: true })
    end = index + found.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), marked: false })
  return pieces
}
