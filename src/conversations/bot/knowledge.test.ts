import { expect, test } from 'vitest'
import { turnsDuring } from '../../../test/turns.ts'
import { tellLanguage } from '../../assistant/ai/text-language.ts'
import { countWords, evidence, passagesOf, retrieve, sampleOf } from './knowledge.ts'

const knowledge = {
  faqEntries: [
    { question: 'When are you open?', answer: 'Monday to Friday from 8 to 18.' },
    { question: 'Do you deliver?', answer: 'Within Berlin, for 4 €.' },
    { question: 'Is the espresso decaf?', answer: 'The house espresso has caffeine; the decaf is from Peru.' },
  ],
  knowledgeBase: {
    shop: { address: 'Hauptstrasse 1', parking: ['yard', 'street'] },
    story: 'We roast.\n\nSince 2009.',
  },
}
const passages = passagesOf(knowledge)

test('each entry and each paragraph is a passage that includes the names above it', () => {
  expect(passages).toEqual([
    { id: 'faq:1', text: 'When are you open?\nMonday to Friday from 8 to 18.' },
    { id: 'faq:2', text: 'Do you deliver?\nWithin Berlin, for 4 €.' },
    { id: 'faq:3', text: 'Is the espresso decaf?\nThe house espresso has caffeine; the decaf is from Peru.' },
    { id: 'kb:1', text: 'shop: address: Hauptstrasse 1' },
    { id: 'kb:2', text: 'shop: parking: yard, street' },
    { id: 'kb:3', text: 'story: We roast.' },
    { id: 'kb:4', text: 'story: Since 2009.' },
  ])
})

test('no part of a long paragraph is lost, and none exceeds the length of a passage', () => {
  const text = `${'One sentence of many. '.repeat(200)}${'x'.repeat(3_000)}`
  const parts = passagesOf({ faqEntries: [], knowledgeBase: { a: text } })
  expect(parts.every((part) => part.text.length <= 1_203)).toBe(true)
  expect(
    parts
      .map((part) => part.text.slice(3))
      .join('')
      .replaceAll(' ', ''),
  ).toBe(text.replaceAll(' ', ''))
})

test('the passage that a question is about comes first, whatever form its words have', () => {
  expect(retrieve(passages, 'Is your espresso decaffeinated or decaf?', [])[0]?.id).toBe('faq:3')
  expect(retrieve(passages, 'delivery in berlin', [])[0]?.id).toBe('faq:2')
  expect(retrieve(passages, 'هل توصلون إلى برلين؟', ['deliver', 'Berlin'])[0]?.id).toBe('faq:2')
})

test('short knowledge is used whole, long knowledge only where it matches the question', () => {
  expect(retrieve(passages, 'something else entirely', [])).toHaveLength(passages.length)
  const much = Array.from({ length: 300 }, (_, at) => ({
    id: `kb:${at}`,
    text: `Article ${at} costs ${at * 3} € in blue and green`,
  }))
  expect(retrieve([...much, ...passages], 'Where is parking?', [])).toEqual([
    { id: 'kb:2', text: 'shop: parking: yard, street' },
  ])
})

test('evidence is the share of the question that the cited passages answer', () => {
  const of = (question: string, id: string, search: string[] = []) =>
    evidence(
      passages,
      passages.filter((each) => each.id === id),
      { question, search, own: true },
    )
  expect(of('Do you deliver in Berlin?', 'faq:2')).toBe(1)
  expect(of('Do you deliver in Berlin?', 'faq:1')).toBe(0)
  const half = of('Do you deliver the decaf?', 'faq:2')
  expect(half > 0.3 && half < 0.7).toBe(true)
  expect(of('Do you deliver lampshades to Madagascar?', 'faq:2')).toBeLessThan(0.4)
})

test('if the knowledge is in another language, only the search words count', () => {
  const cited = passages.filter(({ id }) => id === 'faq:2')
  const asked = { question: 'هل توصلون إلى برلين؟', search: ['deliver', 'Berlin'] }
  expect(evidence(passages, cited, { ...asked, own: false })).toBe(1)
  expect(evidence(passages, cited, { ...asked, own: true })).toBeLessThan(0.6)
})

test('without a citation or a question there is no evidence', () => {
  expect(evidence(passages, [], { question: 'Do you deliver?', search: [], own: true })).toBe(0)
  expect(evidence(passages, passages, { question: 'and you?', search: [], own: true })).toBe(0)
})

test('the words of long knowledge are counted between the turns of other work', async () => {
  const words = (n: number) => Array.from({ length: 600 }, (_, at) => `word${n * 600 + at}`).join(' ')
  const faqEntries = Array.from({ length: 100 }, (_, n) => ({ question: `Question ${n}?`, answer: words(n) }))
  expect(await turnsDuring(() => countWords({ faqEntries, knowledgeBase: {} }))).toBeGreaterThan(5)
})

test('the language of the knowledge is told by the end of each passage, which has no names', () => {
  const short = [{ id: 'faq:1', text: 'all of it' }]
  const long = Array.from({ length: 500 }, (_, n) => ({ id: `faq:${n}`, text: `${n} `.repeat(1_000) }))
  expect(sampleOf(short)).toBe('all of it')
  const sample = sampleOf(long)
  expect(sample.length).toBeLessThan(25_000)
  expect(sample).toContain('499 499')
  const arabic = Array.from({ length: 500 }, () => 'نوصل إلى برلين كل يوم من الاثنين إلى الجمعة. '.repeat(4)).join(
    '\n\n',
  )
  const named = passagesOf({ faqEntries: [], knowledgeBase: { 'Everything about the delivery of our coffee': arabic } })
  expect(tellLanguage(sampleOf(named), 'en')).toBe('ar')
})
