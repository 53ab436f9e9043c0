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

/** Returns the text of a Markdown heading without the signs around it, or undefined if the line is none. */
function headingOf(line: string): string | undefined {
  const begin = /^#{1,6}(?=\s)/.exec(line)?.[0]
  if (begin === undefined) return undefined
  const text = line.slice(begin.length).trim()
  let end = text.length
  while (text[end - 1] === '#') end -= 1
  return text.slice(0, end).trimEnd() || text || undefined
}

/** Reads entries from Markdown: each heading is a question, and the text below it is the answer. */
export function entriesOfMarkdown(content: string): Found[] {
  const found: Found[] = []
  let isCode = false
  for (const [at, line] of content.split(/\r\n|\r|\n/).entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    const heading = isCode ? undefined : headingOf(line)
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

/** What an imported entry does to the FAQ. */
export type FaqVerdict = 'new' | 'changed' | 'same'

const textsOf = ({ answer, tags = [] }: FaqEntry) => JSON.stringify([answer, tags])

/**
 * Returns a copy of an FAQ, and a function that adds an entry to it: in place of the same question, or else at the end.
 * Each question is normalized once, because an FAQ and a file have thousands together.
 */
export function growing(faq: readonly FaqEntry[]): { entries: FaqEntry[]; add: (entry: FaqEntry) => FaqVerdict } {
  const entries = [...faq]
  const places = new Map<string, number>()
  for (const [place, { question }] of entries.entries()) {
    const key = sameQuestion(question)
    if (!places.has(key)) places.set(key, place)
  }
  const add = (entry: FaqEntry): FaqVerdict => {
    const key = sameQuestion(entry.question)
    const place = places.get(key)
    const known = place === undefined ? undefined : entries[place]
    if (place === undefined || known === undefined) {
      places.set(key, entries.length)
      entries.push(entry)
      return 'new'
    }
    // An entry without tags keeps the known ones.
    const next = { ...known, ...entry }
    entries[place] = next
    return textsOf(next) === textsOf(known) ? 'same' : 'changed'
  }
  return { entries, add }
}

/** Intents of messages that ask for nothing. */
const ASKING_NOTHING: readonly string[] = ['praise', 'thanks', 'greeting', 'spam']
const BEGINS_WITH_THANKS =
  /^\P{L}*(?:(?:so |very )?many )?(?:thanks|thank you|thx|danke|vielen dank|merci|gracias|muchas gracias|شكر)/iu

/** Whether a message asks or wants something that knowledge can answer: a question, a complaint or a request. */
export const asksSomething = (text: string, intent: string): boolean =>
  intent !== 'spam' &&
  (/[?؟]/.test(text) || !(ASKING_NOTHING.includes(intent.toLowerCase()) || BEGINS_WITH_THANKS.test(text)))

/** Adds a question to the first group whose newest question asks the same, or as a group of its own. Newest first. */
export function group<Q>(groups: Q[][], question: Q, isAlike: (a: Q, b: Q) => boolean): void {
  const found = groups.find(([first]) => first !== undefined && isAlike(first, question))
  if (found) found.push(question)
  else groups.push([question])
}
