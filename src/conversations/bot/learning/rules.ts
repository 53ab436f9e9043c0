import type { FaqEntry } from '../config/api.ts'
import type { ImportFault } from './api.ts'

// FAQ entries in files, and questions that ask the same. Pure.

/** An entry of a file, with the line on which it begins. */
export interface Found {
  line: number
  question: string
  answer: string
  tags: string[]
}

const HEADING = /^#{1,6}\s+(.+?)\s*#*$/

/** Reads entries from Markdown: each heading is a question, and the text below it is the answer. */
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

/** Reads entries from table rows. Skips a first row with column names. */
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

/** Returns why the schema refuses an entry. */
export function faultOf({ code, path: [field] }: { code: string; path: readonly PropertyKey[] }): ImportFault {
  if (field !== 'question' && field !== 'answer') return 'tags'
  return code === 'too_small' ? `${field}_missing` : `${field}_long`
}

/** Returns a question in the form in which it is compared, without case, punctuation and extra spaces. */
export const sameQuestion = (question: string): string =>
  question
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim()

/** Returns what an imported entry does to the FAQ. */
export function verdictOf(entry: FaqEntry, faq: readonly FaqEntry[]): 'new' | 'changed' | 'same' {
  const known = faq.find(({ question }) => sameQuestion(question) === sameQuestion(entry.question))
  if (!known) return 'new'
  const isSame = known.answer === entry.answer && (known.tags ?? []).join() === (entry.tags ?? []).join()
  return isSame ? 'same' : 'changed'
}

/** Returns the FAQ with an entry in place of the same question, or else at the end. */
export function withEntry(faq: readonly FaqEntry[], entry: FaqEntry): FaqEntry[] {
  const at = faq.findIndex(({ question }) => sameQuestion(question) === sameQuestion(entry.question))
  return at === -1 ? [...faq, entry] : faq.map((each, place) => (place === at ? { ...each, ...entry } : each))
}

/** Intents of messages that ask for nothing. */
const ASKING_NOTHING: readonly string[] = ['praise', 'thanks', 'greeting', 'spam']
const BEGINS_WITH_THANKS =
  /^\P{L}*(?:(?:so |very )?many )?(?:thanks|thank you|thx|danke|vielen dank|merci|gracias|muchas gracias|شكر)/iu

/** Whether a message asks or wants something that knowledge can answer: a question, a complaint or a request. */
export const asksSomething = (text: string, intent: string): boolean =>
  intent !== 'spam' &&
  (/[?؟]/.test(text) || !(ASKING_NOTHING.includes(intent.toLowerCase()) || BEGINS_WITH_THANKS.test(text)))

/** Groups questions that ask the same under the newest one. The largest group comes first. */
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
