import { expect, test } from 'vitest'
import { FaqEntry } from '../config/api.ts'
import { asksSomething, entriesOfMarkdown, entriesOfRows, faultOf, group, growing } from './rules.ts'

test('each Markdown heading is a question, and the text below it is the answer', () => {
  const content = '# Shop\n\n## Open?\n\nDaily.\nFrom 9.\n\n```\n# no heading\n```\n### Closed days ##\nSunday'
  expect(entriesOfMarkdown(content)).toEqual([
    { line: 3, question: 'Open?', answer: 'Daily.\nFrom 9.\n\n```\n# no heading\n```', tags: [] },
    { line: 11, question: 'Closed days', answer: 'Sunday', tags: [] },
  ])
})

test.each([
  ['## Closed days ##', 'Closed days'],
  ['#\tOpen?', 'Open?'],
  ['# ###', '###'],
  ['# #1 of our cakes', '#1 of our cakes'],
])('the heading %j asks %j', (line, question) => {
  expect(entriesOfMarkdown(`${line}\nYes`)[0]?.question).toBe(question)
})

test.each(['#', '# ', '#Open', '####### Open?'])('%j is no heading', (line) => {
  expect(entriesOfMarkdown(`# First\n${line}`)[0]?.answer).toBe(line.trim())
})

test('each row of a table is an entry, except a first row with column names', () => {
  const rows = [
    { line: 1, cells: ['Question', 'Answer', 'Tags'] },
    { line: 2, cells: ['Open?', ' Daily ', 'hours; shop'] },
    { line: 3, cells: ['Closed?'] },
  ]
  expect(entriesOfRows(rows)).toEqual([
    { line: 2, question: 'Open?', answer: 'Daily', tags: ['hours', 'shop'] },
    { line: 3, question: 'Closed?', answer: '', tags: [] },
  ])
})

test.each([
  ['question_missing', { question: ' ', answer: 'Daily.' }],
  ['question_long', { question: 'a'.repeat(501), answer: 'Daily.' }],
  ['answer_missing', { question: 'Open?', answer: '' }],
  ['answer_long', { question: 'Open?', answer: 'a'.repeat(4_001) }],
  ['tags', { question: 'Open?', answer: 'Daily.', tags: ['a'.repeat(51)] }],
  ['tags', { question: 'Open?', answer: 'Daily.', tags: Array.from({ length: 21 }, String) }],
])('an entry that cannot be imported says why: %s', (fault, entry) => {
  expect(faultOf(FaqEntry.safeParse(entry).error!.issues[0]!)).toBe(fault)
})

test('a known question keeps its place, whatever its case and punctuation', () => {
  const faq = [
    { question: 'Open?', answer: 'Daily.', tags: ['hours'] },
    { question: 'Where?', answer: 'Here.' },
  ]
  const { entries, add } = growing(faq)
  expect(add({ question: ' open ', answer: 'Daily.', tags: ['hours'] })).toBe('same')
  expect(add({ question: 'OPEN?', answer: 'Never.' })).toBe('changed')
  expect(add({ question: 'Who?', answer: 'We.' })).toBe('new')
  expect(add({ question: 'who', answer: 'We.' })).toBe('same')
  expect(entries).toEqual([
    { question: 'OPEN?', answer: 'Never.', tags: ['hours'] },
    faq[1],
    { question: 'who', answer: 'We.' },
  ])
  expect(faq[0]).toEqual({ question: 'Open?', answer: 'Daily.', tags: ['hours'] })
})

test.each([
  ['without tags keeps those of the known one', ['hours'], undefined, 'same'],
  ['with no tags removes those of the known one', ['hours'], [], 'changed'],
  ['with one tag of two words changes two tags', ['a', 'b'], ['a,b'], 'changed'],
])('an imported entry %s', (_what, known, tags, verdict) => {
  const { add } = growing([{ question: 'Open?', answer: 'Daily.', tags: known }])
  expect(add({ question: 'Open?', answer: 'Daily.', ...(tags && { tags }) })).toBe(verdict)
})

test('similar questions form one group', () => {
  const asked = ['tea?', 'cake', 'tea', 'TEA'].map((text) => ({ text }))
  const isAlike = (a: { text: string }, b: { text: string }) =>
    a.text.slice(0, 3).toLowerCase() === b.text.slice(0, 3).toLowerCase()
  const groups: (typeof asked)[] = []
  for (const question of asked) group(groups, question, isAlike)
  expect(groups.map((alike) => alike.map(({ text }) => text))).toEqual([['tea?', 'tea', 'TEA'], ['cake']])
})

test.each([
  ['Do you ship to Austria?', 'question', true],
  ['The cup arrived broken.', 'complaint', true],
  ['I want my money back', 'refund request', true],
  ['I need an invoice for my order', 'general inquiry', true],
  ['Thanks! And where can I park?', 'thanks', true],
  ['Vielen Dank für den schönen Abend mit euch allen', 'general inquiry', false],
  ['شكرًا جزيلًا على كل شيء', 'general inquiry', false],
  ['Best cappuccino in town!', 'praise', false],
  ['Hello', 'Greeting', false],
  ['Want followers? Click here', 'spam', false],
  ['Do you have oat milk', '', true],
])('whether a message asks for something: %s', (text, intent, asks) => {
  expect(asksSomething(text, intent)).toBe(asks)
})
