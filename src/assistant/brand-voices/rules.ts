import type { VoiceText } from './api.ts'

const plain = (word: string) => word.normalize('NFKC').trim().toLowerCase()

/** Words that a vocabulary has among those to use and among those to avoid, as they stand among the latter. */
export function wordsInBoth({ terms, avoid }: Pick<VoiceText['vocabulary'], 'terms' | 'avoid'>): string[] {
  const used = new Set(terms.map(plain))
  return avoid.filter((word) => used.has(plain(word)))
}
