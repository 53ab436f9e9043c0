/** The beginning of a text on one line, of at most `most` letters: whole words, and "…" where more follows. */
export function beginning(text: string, most: number): string {
  const line = text.trim().replace(/\s+/gu, ' ')
  const letters = Array.from(line)
  if (letters.length <= most) return line
  const words = letters.slice(0, most).join('')
  const space = words.lastIndexOf(' ')
  // Only a first word that is too long itself is cut.
  const whole = space > 0 ? words.slice(0, space) : letters.slice(0, most - 1).join('')
  return `${whole.replace(/[\s,;:،؛–-]+$/u, '')}…`
}
