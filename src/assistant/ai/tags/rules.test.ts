import { expect, test } from 'vitest'
import { tagsByRules } from './rules.ts'

test('the topic is a known one that the text mentions, else the first hashtag, else "other"', () => {
  expect(tagsByRules('Fresh bread #bakery', ['tea', 'bread']).topic).toBe('bread')
  expect(tagsByRules('Fresh rolls #Bakery #rolls', ['tea']).topic).toBe('bakery')
  expect(tagsByRules('Another day', ['other', 'tea']).topic).toBe('other')
  expect(tagsByRules('خبز طازج كل صباح', ['خبز']).topic).toBe('خبز')
})

test.each([
  ['Only today: 20 % off', 'promotional'],
  ['تخفيضات اليوم', 'promotional'],
  ['Which one do you like?', 'curious'],
  ['أيهما تفضل؟', 'curious'],
  ['We are open again!', 'enthusiastic'],
  ['Our hours have changed.', 'plain'],
])('the tone of “%s” is %s', (text, tone) => {
  expect(tagsByRules(text, []).tone).toBe(tone)
})
