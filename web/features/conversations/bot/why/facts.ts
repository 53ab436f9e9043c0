// The parts of a decision's stored context that people see. Older contexts may lack any of them.

interface Facts {
  message?: { text?: string; kind?: string }
  config?: { maxConfidenceForAuto?: number; faqEntries?: { question: string }[] }
  classification?: Record<string, unknown>
  reply?: Record<string, unknown>
  thread?: { streak?: number }
}

export const factsOf = (snapshot: unknown): Facts | null =>
  snapshot !== null && typeof snapshot === 'object' ? snapshot : null

/** Splits a passage into its title and body. */
export function passageOf({ id, text }: { id: string; text: string }) {
  const isAnswer = id.startsWith('faq:')
  const cut = isAnswer ? text.indexOf('\n') : text.indexOf(': ')
  return {
    kind: isAnswer ? ('answer' as const) : ('text' as const),
    title: cut > 0 ? text.slice(0, cut) : '',
    body: cut > 0 ? text.slice(cut + (isAnswer ? 1 : 2)) : text,
  }
}

/** The minimum length of a highlighted word. */
const SHORTEST = 4

/** Splits a text into pieces, marking the words that also occur in the question. */
export function markedBy(text: string, question: string): { piece: string; marked: boolean }[] {
  const stem = (word: string) => word.toLowerCase().slice(0, Math.max(SHORTEST, word.length - 2))
  const known = new Set((question.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= SHORTEST).map(stem))
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter(Boolean)
    .map((piece) => ({ piece, marked: piece.length >= SHORTEST && known.has(stem(piece)) }))
}
