/** The beginning of a text on one line, of at most `most` letters: whole words, and "…" where more follows. */
export function beginning(text: string, most: number): string {
  const line = text.trim().replace(/\s+/gu, ' ')
  const letters = Array.from(line)
  if (letters.length <= most) return line
  const head = letters.slice(0, most - 1).join('')
  const space = head.lastIndexOf(' ')
  const endsWithWord = /[\s,;:،؛]/u.test(letters[most - 1]!)
  // Cuts a word only if it is the first one and too long itself.
  const whole = endsWithWord || space <= 0 ? head : head.slice(0, space)
  return `${whole.replace(/(?<![\s,;:،؛–-])[\s,;:،؛–-]+$/u, '')}…`
}
