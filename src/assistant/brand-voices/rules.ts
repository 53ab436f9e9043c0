import type { VoiceText } from './api.ts'

const plain = (word: string) => word.normalize('NFKC').trim().toLowerCase()

/** Returns the words that a vocabulary both uses and avoids, as written in `avoid`. */
export function wordsInBoth({ terms, avoid }: Pick<VoiceText['vocabulary'], 'terms' | 'avoid'>): string[] {
  const used = new Set(terms.map(plain))
  return avoid.filter((word) => used.has(plain(word)))
}
