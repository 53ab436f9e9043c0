/** How much of a text a network shows before "more". */
export interface Cut {
  signs: number
  lines: number
}

/**
 * The visible part of a text, or the whole text if it is short enough. Never splits a character, and prefers to end
 * between words.
 */
export function cutAt(text: string, { signs, lines }: Cut): string {
  const visible = text.split('\n').slice(0, lines).join('\n')
  const all = Array.from(visible)
  if (all.length <= signs) return visible.length < text.length ? visible.trimEnd() : text
  const cut = all.slice(0, signs).join('')
  const space = cut.search(/\s\S*$/)
  // A very long last word is split.
  return (space > signs * 0.7 ? cut.slice(0, space) : cut).trimEnd()
}

export interface TextPiece {
  text: string
  /** Whether networks highlight it as a link, hashtag or mention. */
  marked: boolean
}

const MARKED = /https?:\/\/[^\s]*[^\s.,;:!?)\]}"'»”]|(?<![\p{L}\p{N}_&/])[#@][\p{L}\p{N}_][\p{L}\p{N}_.]*(?<!\.)/gu

/** Splits a text into highlighted and plain pieces. */
export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(MARKED)) {
    if (index > end) pieces.push({ text: text.slice(end, index), marked: false })
    pieces.push({ text: found, marked: true })
    end = index + found.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), marked: false })
  return pieces
}
