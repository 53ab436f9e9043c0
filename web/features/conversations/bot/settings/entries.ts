import type { BotConfig, FaqEntry } from '../../../../../src/conversations/bot/config/api.ts'

type Knowledge = Pick<BotConfig, 'faqEntries' | 'knowledgeBase'>

/** A piece of knowledge as people see it: an answer to a question, or a named text. */
export type KnowledgeEntry =
  | { kind: 'answer'; at: number; title: string; text: string; tags: string[] }
  /**
   * `isPlain`: a single text, which can be edited here. Otherwise it holds lists or nested names that came through the
   * API.
   */
  | { kind: 'text'; name: string; title: string; text: string; isPlain: boolean }

type Json = Knowledge['knowledgeBase'][string]

/** Lists and names as lines of text. */
function linesOf(value: Json): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(linesOf).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${linesOf(each)}`)
      .join('\n')
  return String(value)
}

export const entriesOf = ({ faqEntries, knowledgeBase }: Knowledge): KnowledgeEntry[] => [
  ...faqEntries.map(({ question, answer, tags = [] }, at): KnowledgeEntry => ({
    kind: 'answer',
    at,
    title: question,
    text: answer,
    tags,
  })),
  ...Object.entries(knowledgeBase).map(([name, value]): KnowledgeEntry => ({
    kind: 'text',
    name,
    title: name,
    text: linesOf(value),
    isPlain: typeof value === 'string',
  })),
]

/** The entries that contain every word of a text. */
export function foundEntries(entries: KnowledgeEntry[], sought: string): KnowledgeEntry[] {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter((entry) => {
    const tags = entry.kind === 'answer' ? entry.tags : []
    const text = [entry.title, entry.text, ...tags].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export const keyOf = (entry: KnowledgeEntry) => (entry.kind === 'answer' ? `answer ${entry.at}` : `text ${entry.name}`)

/** The key of an entry in the statistics; see `cited` in the API. */
export const citationKey = ({ kind, title }: KnowledgeEntry) =>
  `${kind} ${title.split(kind === 'answer' ? '\n' : ': ')[0]}`

/** The values of the entry form. */
export interface EntryFields {
  kind: KnowledgeEntry['kind']
  title: string
  text: string
  tags: string[]
}

const faqOf = ({ title, text, tags }: EntryFields): FaqEntry => ({
  question: title,
  answer: text,
  ...(tags.length > 0 && { tags }),
})

/** The knowledge without an entry. */
export function without({ faqEntries, knowledgeBase }: Knowledge, entry: KnowledgeEntry): Partial<Knowledge> {
  if (entry.kind === 'answer') return { faqEntries: faqEntries.toSpliced(entry.at, 1) }
  const { [entry.name]: _, ...rest } = knowledgeBase
  return { knowledgeBase: rest }
}

/** The knowledge with an entry replaced, or with a new one. A new answer comes first. */
export function withWritten(
  knowledge: Knowledge,
  written: EntryFields,
  entry: KnowledgeEntry | null,
): Partial<Knowledge> {
  const { faqEntries, knowledgeBase } = knowledge
  if (written.kind === 'answer') {
    const one = faqOf(written)
    return {
      faqEntries: entry?.kind === 'answer' ? faqEntries.with(entry.at, one) : [one, ...faqEntries],
    }
  }
  if (entry?.kind !== 'text') return { knowledgeBase: { ...knowledgeBase, [written.title]: written.text } }
  // Renaming a text keeps its position.
  const renamed = Object.entries(knowledgeBase).map(([name, value]) =>
    name === entry.name ? ([written.title, written.text] as const) : ([name, value] as const),
  )
  return { knowledgeBase: Object.fromEntries(renamed) }
}
