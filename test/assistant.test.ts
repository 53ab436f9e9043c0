import { describe, expect, test } from 'vitest'
import { RewriteInput } from '../src/assistant/ai/api.ts'
import { MOST_CAPTION } from '../src/assistant/ai/rules.ts'
import { noContent } from '../src/publishing/posts/compose/rules.ts'
import { difference, isRewritten } from '../web/features/publishing/approvals/words.ts'
import { standing, type OptionUse, withOption, withoutUse } from '../web/features/assistant/apply.ts'
import { type Draft, type Tab, withHashtags, withText } from '../web/features/publishing/composer/draft.ts'
import { additionsTo, withAdded, withoutAdded } from '../web/features/assistant/voices/suggested.ts'

// Using a text of the AI can be undone, and undoing it never removes text that a person wrote.

const option = { text: 'Fresh bread.', hashtags: ['#bread'], cta: 'Come in', score: 1, reasons: [] }
const start: Draft = { ...noContent, caption: 'Mine', hashtags: ['#own'], cta: 'Call us' }

function use(before: Draft, tab: Tab, more: Partial<typeof option> = {}): OptionUse {
  return { key: tab, tab, before, after: withOption(before, tab, 'caption', { ...option, ...more }) }
}

describe('undoing an option', () => {
  test.each(['all', 'NET_PAGE'] as const)('leaves the draft in tab %s as it was', (tab) => {
    const one = use(start, tab)
    expect(standing(one.after, one)).toBe('all')
    expect(withoutUse(one.after, one)).toEqual(start)
  })

  test('gives a network its own texts back', () => {
    const own = withHashtags(withText(start, 'NET_PAGE', 'caption', 'For the page'), 'NET_PAGE', ['#page'])
    const one = use(own, 'NET_PAGE')
    expect(withoutUse(one.after, one)).toEqual(own)
  })

  test('keeps text that was typed over it, and removes the rest', () => {
    const one = use(start, 'all')
    const typed = withText(one.after, 'all', 'caption', 'Fresh bread. And cake.')
    expect(standing(typed, one)).toBe('part')
    expect(withoutUse(typed, one)).toEqual({ ...start, caption: 'Fresh bread. And cake.' })
  })

  test('removes nothing if all of it has changed since', () => {
    const one = use(start, 'NET_PAGE', { hashtags: [], cta: '' })
    const typed = withText(one.after, 'NET_PAGE', 'caption', 'Other words')
    expect(standing(typed, one)).toBe('none')
    expect(withoutUse(typed, one)).toEqual(typed)
  })

  test('leaves the other tabs alone, whatever was used or typed there since', () => {
    const page = use(start, 'NET_PAGE')
    const photo = use(page.after, 'NET_PHOTO', { text: 'For the photo.' })
    const typed = withText(photo.after, 'all', 'caption', 'All of it rewritten')
    const back = withoutUse(typed, page)
    expect(back.captionOverrides).toEqual({ NET_PHOTO: { caption: 'For the photo.', cta: 'Come in' } })
    expect(back.hashtagOverrides).toEqual({ NET_PHOTO: ['#bread'] })
    expect(back.caption).toBe('All of it rewritten')
  })

  test('treats a text as unchanged if the service only normalized its spelling', () => {
    const one = use(start, 'all')
    const saved = { ...one.after, caption: `${one.after.caption} `, hashtags: ['bread'] }
    expect(standing(saved, one)).toBe('all')
  })
})

describe('suggestions from samples', () => {
  const typed = {
    toneAttributes: ['warm'],
    vocabulary: { terms: [], phrases: [], avoid: ['cheap'] },
    writingStyle: 'Short.',
    samplePosts: ['A post'],
  }
  const suggested = {
    toneAttributes: ['Warm', 'calm', 'Calm'],
    vocabulary: { terms: ['guests'], phrases: [], avoid: ['discount'] },
    writingStyle: 'No exclamation marks.',
  }
  const added = additionsTo(typed, suggested)

  test('are added to the typed text, each of them once', () => {
    expect(withAdded(typed, added)).toEqual({
      toneAttributes: ['warm', 'calm'],
      vocabulary: { terms: ['guests'], phrases: [], avoid: ['cheap', 'discount'] },
      writingStyle: 'Short.\nNo exclamation marks.',
      samplePosts: ['A post'],
    })
  })

  test('can be removed again, and text typed before or after stays', () => {
    const filled = withAdded(typed, added)
    expect(withoutAdded(filled, added)).toEqual(typed)
    const later = {
      ...filled,
      writingStyle: 'My own words.',
      vocabulary: { ...filled.vocabulary, avoid: [...filled.vocabulary.avoid, 'sale'] },
    }
    expect(withoutAdded(later, added)).toMatchObject({
      writingStyle: 'My own words.',
      vocabulary: { terms: [], avoid: ['cheap', 'sale'] },
    })
  })

  test('never exceed the limits of a voice', () => {
    const full = { ...typed, toneAttributes: Array.from({ length: 12 }, (_, index) => `tone ${index}`) }
    expect(withAdded(full, additionsTo(full, suggested)).toneAttributes).toEqual(full.toneAttributes)
  })
})

test('the screen and the contract have the same limit for a caption sent to the model', () => {
  expect(RewriteInput.safeParse({ caption: 'x'.repeat(MOST_CAPTION) }).success).toBe(true)
  expect(RewriteInput.safeParse({ caption: 'x'.repeat(MOST_CAPTION + 1) }).success).toBe(false)
})

test.each([
  [
    'a word',
    'Come by on Friday and taste it.',
    'Come by on Monday and taste it.',
    'Come by on -Friday-+Monday+ and taste it.',
  ],
  [
    'neighbouring words, with a short unchanged one between them',
    'We met teh dogs and cat of Ann.',
    'We met some birds and fish of Ann.',
    'We met -teh dogs and cat-+some birds and fish+ of Ann.',
  ],
  ['added words alone', 'We bake bread.', 'We all bake good bread.', 'We +all +bake +good +bread.'],
])('where words changed, all removed words precede all added ones: %s', (_, before, after, marked) => {
  const marks = { same: '', removed: '-', added: '+' }
  const shown = difference(before, after, 'en').map(({ kind, text }) => marks[kind] + text + marks[kind])
  expect(shown.join('')).toBe(marked)
})

test.each([
  ['it was empty', '', 'The autumn menu is here.', false],
  ['text was added', 'New roast.', 'New roast. Come by on Friday and taste it, with a slice of plum cake.', false],
  ['one word differs', 'Come by on Friday and taste it.', 'Come by on Monday and taste it.', false],
  ['one of two sentences differs', 'We bake bread. Taste it now.', 'We bake bread. Come on Friday.', false],
  ['nothing is left of it', 'All my own words', 'The autumn menu starts today.', true],
  ['only short words are left of it', 'The new roast is in the shop.', 'Is autumn the best time in town?', true],
  [
    'less than half is left of it',
    'We roasted the Night Boat blend this morning, and the guests loved it. Come by! https://harbour.example @anna',
    'Hello, friends! Have you heard of the Night Boat blend? In our words: a roastery. https://harbour.example @anna',
    true,
  ],
  ['the language differs', 'The autumn menu is here.', 'قائمة الخريف وصلت.', true],
])('texts are compared word by word unless one was rewritten: %s', (_, before, after, rewritten) => {
  expect(isRewritten(difference(before, after, 'en'))).toBe(rewritten)
})
