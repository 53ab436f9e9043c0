import { describe, expect, test } from 'vitest'
import { mentionedIn } from '../../web/mentions.ts'
import { nameOf } from '../../web/features/publishing/today/name.ts'

describe('the name of a post', () => {
  test.each([
    ['How we pour. Slowly, from high up.', 'How we pour'],
    ['Ready?\nOur summer menu is here', 'Ready?'],
    ['Short and sweet', 'Short and sweet'],
    ['هل تشحنون إلى الأردن؟ أحتاج كيسين قبل الخميس', 'هل تشحنون إلى الأردن؟'],
  ])('is its first sentence: %s', (caption, name) => {
    expect(nameOf(caption)).toBe(name)
  })

  test('ends after a whole word if the sentence is longer', () => {
    expect(nameOf('From green to brown in just over a minute, sped up a little')).toBe(
      'From green to brown in just over a…',
    )
    expect(nameOf('One thing that nobody has ever seen, I think')).toBe('One thing that nobody has ever seen…')
  })

  test('is cut if there are no words', () => {
    expect(nameOf('x'.repeat(80))).toBe(`${'x'.repeat(35)}…`)
    expect(nameOf('')).toBe('')
  })
})

test('a mention names the person with the longest name, and nobody whose name is only its beginning', () => {
  const people = [
    { id: 'ann', name: 'Ann' },
    { id: 'anna', name: 'Anna' },
    { id: 'lee', name: 'Ann Lee' },
    { id: 'none', name: '' },
  ]
  expect(mentionedIn('@Anna, please look', people)).toEqual(['anna'])
  expect(mentionedIn('For @Ann Lee and @Anna', people)).toEqual(['lee', 'anna'])
  expect(mentionedIn('(@Ann) and me@example.com', people)).toEqual(['ann'])
  expect(mentionedIn('@Annabel is somebody else', people)).toEqual([])
  expect(mentionedIn('Nobody is named, not even by @', [])).toEqual([])
})

test.each([
  ['Ann', 'Ann L', '@Ann Look'],
  ['محمد', 'محمد ع', 'شكرًا @محمد على المتابعة'],
  ['A.C. (Ops)', 'A.C. (Ops) B', '@A.C. (Ops) Bravo'],
])('a mention of %s is not taken for the beginning of %s', (name, longer, text) => {
  const people = [
    { id: 'longer', name: longer },
    { id: 'meant', name },
  ]
  expect(mentionedIn(text, people)).toEqual(['meant'])
})

test('a mention names every person picked by it, and otherwise the first with the name', () => {
  const [first, second, third] = ['first', 'second', 'third'].map((id) => ({ id, name: 'Ann' }))
  expect(mentionedIn('@Ann', [second!, third!], [first!, second!, third!])).toEqual(['second', 'third'])
  expect(mentionedIn('@Ann', [], [first!, second!])).toEqual(['first'])
})
