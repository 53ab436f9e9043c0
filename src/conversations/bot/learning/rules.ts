import type { FaqEntry } from '../config/api.ts'
import type { ImportFault } from './api.ts'

// Entries of the FAQ in files, and questions that ask the same. Pure.

/** An entry as a file has it, with the line where it begins. */
export interface Found {
  line: number
  question: string
  answer: string
  tags: string[]
}

const HEADING = /^#{1,6}\s+(.+?)\s*#*$/

/** The entries of a text in Markdown: each heading is a question, and the text below it the answer. */
export function entriesOfMarkdown(content: string): Found[] {
  const found: Found[] = []
  let isCode = false
  for (const [at, line] of content.split(/\r\n|\r|\n/).entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    const heading = isCode ? undefined : HEADING.exec(line)?.[1]
    const last = found.at(-1)
    if (heading !== undefined) found.push({ line: at + 1, question: heading, answer: '', tags: [] })
    else if (last) last.answer += `${line}\n`
  }
  return found.map((entry) => ({ ...entry, answer: entry.answer.trim() })).filter(({ answer }) => answer !== '')
}

/** The entries of the rows of a table. A first row that names the columns is left out. */
export function entriesOfRows(rows: readonly { line: number; cells: readonly string[] }[]): Found[] {
  const isHead = /^(?:question|frage|preguntas?|سؤال)$/i.test(rows[0]?.cells[0]?.trim() ?? '')
  return rows.slice(isHead ? 1 : 0).map(({ line, cells: [question = '', answer = '', tags = ''] }) => ({
    line,
    question: question.trim(),
    answer: answer.trim(),
    tags: tags
      .split(/[;,،]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  }))
}

/** Why the schema of an entry refuses one. */
export function faultOf({ code, path: [field] }: { code: string; path: readonly PropertyKey[] }): ImportFault {
  if (field !== 'question' && field !== 'answer') return 'tags'
  return code === 'too_small' ? `${field}_missing` : `${field}_long`
}

/** A question as it is compared: without case, signs and spaces at its ends. */
export const sameQuestion = (question: string): string =>
  question
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim()

/** What an entry of a file does to the FAQ. */
export function verdictOf(entry: FaqEntry, faq: readonly FaqEntry[]): 'new' | 'changed' | 'same' {
  const known = faq.find(({ question }) => sameQuestion(question) === sameQuestion(entry.question))
  if (!known) return 'new'
  const isSame = known.answer === entry.answer && (known.tags ?? []).join() === (entry.tags ?? []).join()
  return isSame ? 'same' : 'changed'
}

/** The FAQ with an entry: in the place of the same question, else at the end. */
export function withEntry(faq: readonly FaqEntry[], entry: FaqEntry): FaqEntry[] {
  const at = faq.findIndex(({ question }) => sameQuestion(question) === sameQuestion(entry.question))
  return at === -1 ? [...faq, entry] : faq.map((each, place) => (place === at ? { ...each, ...entry } : each))
}

/** Questions that ask the same are one group, under its newest one. The most asked come first. */
export function grouped<Q extends { text: string; at: string }>(
  questions: readonly Q[],
  isAlike: (a: Q, b: Q) => boolean,
): Q[][] {
  const groups: Q[][] = []
  for (const question of questions) {
    const group = groups.find(([first]) => first !== undefined && isAlike(first, question))
    if (group) group.push(question)
    else groups.push([question])
  }
  return groups.toSorted((a, b) => b.length - a.length || (a[0]!.at < b[0]!.at ? 1 : -1))
}
