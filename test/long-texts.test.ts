import { expect, test } from 'vitest'
import { withoutSecrets } from '../src/admin/rules.ts'
import { likeness } from '../src/assistant/ai/rules.ts'
import { vetoesOf } from '../src/conversations/bot/checks.ts'
import { assumes } from '../src/conversations/bot/claims.ts'
import { holds } from '../src/conversations/escalation/rules.ts'
import { sentencesOf } from '../src/conversations/bot/grounding.ts'
import { evidence, passagesOf, retrieve } from '../src/conversations/bot/knowledge.ts'
import { entriesOfMarkdown, group, growing } from '../src/conversations/bot/learning/rules.ts'
import { numbersWithWords } from '../src/conversations/bot/numbers.ts'
import { fillReply, unknownPlaceholders } from '../src/conversations/replies/rules.ts'

// Whatever a person writes, up to the limits of the routes, does not stop the process for everyone. A text that is read
// again for each of its letters takes minutes here, and one that is read once takes less than a second.

const LIMIT = 5_000
const values = { customer: 'Mia', first_name: 'Mia', account: 'Shop', me: 'Ann' }
/** What repeats in a text, and makes a search begin again at each place. */
const RUNS = [' ', ' \n', '\n', '1', '1 ', '.', '-', '/', '@', 'a.', '{{ ', '# ', '! ', '1.', ', ']

const longest = (sign: string, length: number) => `a1${sign.repeat(length / sign.length)}a`

/** Returns the CPU time of an act, which does not depend on what else the machine does. */
function milliseconds(act: () => unknown): number {
  const begin = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1_000
}

test('a saved reply of 8,000 characters is filled at once', () => {
  for (const sign of RUNS) {
    const text = `{{${sign.repeat(7_990 / sign.length)}x`
    expect([sign, milliseconds(() => fillReply(text, values))]).toEqual([sign, expect.toSatisfy(isSoon)])
    expect([sign, milliseconds(() => unknownPlaceholders(text))]).toEqual([sign, expect.toSatisfy(isSoon)])
  }
})

test('an imported file of 500,000 characters is read at once', () => {
  for (const sign of [...RUNS, '#', '`'])
    expect([sign, milliseconds(() => entriesOfMarkdown(`# x${sign.repeat(499_000 / sign.length)}x`))]).toEqual([
      sign,
      expect.toSatisfy(isSoon),
    ])
})

test('2,000 imported entries are compared with 500 at once', () => {
  const faq = Array.from({ length: 500 }, (_, at) => ({ question: `${'How? '.repeat(95)}${at}`, answer: 'So.' }))
  const { entries, add } = growing(faq)
  const took = milliseconds(() => {
    for (let at = 0; at < 2_000; at += 1) add({ question: `${'Why? '.repeat(95)}${at}`, answer: 'So.' })
  })
  expect(entries).toHaveLength(2_500)
  expect(took).toBeLessThan(LIMIT)
})

test.each([
  ['en', 'parcel late again', 'complaint'],
  ['ar', 'والطلب متأخر جدا', 'شكوى'],
  ['ko', '주문이 늦었어요 정말', '불만'],
  ['ja', 'カードが届きません', 'クレーム'],
])('a message of 40,000 characters is compared with 100 rules of 200 keywords at once: %s', (_, words, keyword) => {
  const text = Array.from({ length: 40_000 / (words.length + 5) }, (_each, at) => `${words} ${at}`).join(' ')
  const rules = Array.from({ length: 100 }, (_rule, rule) => ({
    keywords: Array.from({ length: 200 }, (_each, at) => `${keyword}${rule * 200 + at}`),
    intents: [],
    urgency: null,
    sentiment: null,
  }))
  const message = { text, urgency: null, sentiment: null, intents: [] }
  expect(milliseconds(() => expect(rules.some((rule) => holds(rule, message))).toBe(false))).toSatisfy(isSoon)
  expect(holds({ ...rules[0]!, keywords: [words.split(' ')[0]!] }, message)).toBe(true)
})

test('a reply is checked against knowledge of 100,000 characters at once', () => {
  for (const sign of RUNS) {
    const passage = { id: 'kb:1', text: longest(sign, 100_000) }
    const took = milliseconds(() =>
      vetoesOf({
        text: longest(sign, 1_900),
        message: longest(sign, 4_000),
        conversation: [],
        kind: 'DM',
        platform: 'NET_PAGE',
        cited: [{ id: 'faq:1', text: longest(sign, 4_000) }],
        knowledge: [passage],
        system: 'You answer the customers of a brand.',
        style: [],
        forbidden: [],
        blockedTopics: [],
        language: 'en',
        last: null,
        isThanked: false,
      }),
    )
    expect([sign, took]).toEqual([sign, expect.toSatisfy(isSoon)])
  }
})

test.each([
  ['a message', (text: string) => assumes(text, [])],
  ['its sentences', sentencesOf],
  ['its numbers', numbersWithWords],
])('%s of 100,000 characters is read at once', (_, read) => {
  for (const sign of RUNS)
    expect([sign, milliseconds(() => read(longest(sign, 100_000)))]).toEqual([sign, expect.toSatisfy(isSoon)])
})

test('the reason of a failure that quotes a text of 5,000 characters is shown at once', () => {
  for (const sign of RUNS)
    expect([sign, milliseconds(() => withoutSecrets(longest(sign, 5_000)))]).toEqual([sign, expect.toSatisfy(isSoon)])
})

test('300 questions are compared with 500 answers, and grouped, at once', () => {
  const words = (from: number, count: number) => Array.from({ length: count }, (_, at) => `word${from + at}`).join(' ')
  const faqEntries = Array.from({ length: 500 }, (_, at) => ({ question: `q${at}?`, answer: words(at, 80) }))
  const passages = passagesOf({ faqEntries, knowledgeBase: {} })
  const took = milliseconds(() => {
    const groups: { text: string }[][] = []
    for (let at = 0; at < 300; at += 1) {
      const text = words(at, 60)
      const found = retrieve(passages, text, [])
      evidence(passages, found.slice(0, 1), { question: text, search: [], own: true })
      group(groups, { text }, (a, b) => likeness(a, b) >= 2)
    }
  })
  expect(took).toBeLessThan(LIMIT)
})

function isSoon(took: number): boolean {
  return took < LIMIT
}
