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
const SHORTEST = 3
/** Words of three letters that say nothing about a passage. */
const COMMON = new Set(
  (
    'and any are but can did for get had has her his how its may not now off one our out own say see she the too was who why yes you ' +
    'als auf aus bei bin bis das dem den der des die ein für hat ich ihr ist man mir mit nur sie und uns von war was wer wie wir zum zur ' +
    'aux des est les mes moi mon nos par pas que qui ses son sur tes une vos con del hay las los más muy por sin sus una ' +
    'أنا أين إلى الى بعد ثم عن على عند غير كان كلّ كيف لكن لكم ليس ماذا مثل مَن منذ نحن نعم هذا هذه هَل هنا هي'
  ).split(' '),
)

/** A rough stem, in which a word and its plural agree. */
const stemOf = (word: string) =>
  word.length <= SHORTEST + 1
    ? word.toLowerCase().replace(/(?<=..)s$/, '')
    : word.toLowerCase().slice(0, Math.max(SHORTEST + 1, word.length - 2))

const isTelling = (word: string) => word.length >= SHORTEST && !COMMON.has(word.toLowerCase())

/** Splits a text into pieces, marking the words that also occur in the question. */
export function markedBy(text: string, question: string): { piece: string; marked: boolean }[] {
  const known = new Set((question.match(/[\p{L}\p{N}]+/gu) ?? []).filter(isTelling).map(stemOf))
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter(Boolean)
    .map((piece) => ({ piece, marked: isTelling(piece) && known.has(stemOf(piece)) }))
}
