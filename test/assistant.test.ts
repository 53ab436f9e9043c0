import { describe, expect, test } from 'vitest'
import { RewriteInput } from '../src/assistant/ai/api.ts'
import { MOST_CAPTION } from '../src/assistant/ai/rules.ts'
import { noContent } from '../src/publishing/posts/compose/rules.ts'
import { difference, isRewritten } from '../web/features/publishing/approvals/words.ts'
import { standing, type Use, withOption, withoutUse } from '../web/features/assistant/apply.ts'
import { type Draft, type Tab, withHashtags, withText } from '../web/features/publishing/composer/draft.ts'
import { additionsTo, withAdded, withoutAdded } from '../web/features/assistant/voices/suggested.ts'

// What is taken from the AI can be taken back, and nothing that a person wrote goes with it.

const option = { text: 'Fresh bread.', hashtags: ['#bread'], cta: 'Come in', score: 1, reasons: [] }
const start: Draft = { ...noContent, caption: 'Mine', hashtags: ['#own'], cta: 'Call us' }

function use(before: Draft, tab: Tab, more: Partial<typeof option> = {}): Use {
  return { key: tab, tab, before, after: withOption(before, tab, 'caption', { ...option, ...more }) }
}

describe('an option that is taken back', () => {
  test.each(['all', 'NET_PAGE'] as const)('leaves the draft in tab %s as it was', (tab) => {
    const one = use(start, tab)
    expect(standing(one.after, one)).toBe('all')
    expect(withoutUse(one.after, one)).toEqual(start)
  })

  test('gives a network back what it had of its own', () => {
    const own = withHashtags(withText(start, 'NET_PAGE', 'caption', 'For the page'), 'NET_PAGE', ['#page'])
    const one = use(own, 'NET_PAGE')
    expect(withoutUse(one.after, one)).toEqual(own)
  })

  test('leaves what was typed over it, and takes back the rest', () => {
    const one = use(start, 'all')
    const typed = withText(one.after, 'all', 'caption', 'Fresh bread. And cake.')
    expect(standing(typed, one)).toBe('part')
    expect(withoutUse(typed, one)).toEqual({ ...start, caption: 'Fresh bread. And cake.' })
  })

  test('takes nothing back where all of it was changed since', () => {
    const one = use(start, 'NET_PAGE', { hashtags: [], cta: '' })
    const typed = withText(one.after, 'NET_PAGE', 'caption', 'Other words')
    expect(standing(typed, one)).toBe('none')
    expect(withoutUse(typed, one)).toEqual(typed)
  })

  test('leaves the other tabs, whatever was taken or typed there since', () => {
    const page = use(start, 'NET_PAGE')
    const photo = use(page.after, 'NET_PHOTO', { text: 'For the photo.' })
    const typed = withText(photo.after, 'all', 'caption', 'All of it rewritten')
    const back = withoutUse(typed, page)
    expect(back.captionOverrides).toEqual({ NET_PHOTO: { caption: 'For the photo.', cta: 'Come in' } })
    expect(back.hashtagOverrides).toEqual({ NET_PHOTO: ['#bread'] })
    expect(back.caption).toBe('All of it rewritten')
  })

  test('counts as unchanged when only its spelling by the service differs', () => {
    const one = use(start, 'all')
    const saved = { ...one.after, caption: `${one.after.caption} `, hashtags: ['bread'] }
    expect(standing(saved, one)).toBe('all')
  })
})

describe('what samples suggest', () => {
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

  test('is added to what was typed, each once', () => {
    expect(withAdded(typed, added)).toEqual({
      toneAttributes: ['warm', 'calm'],
      vocabulary: { terms: ['guests'], phrases: [], avoid: ['cheap', 'discount'] },
      writingStyle: 'Short.\nNo exclamation marks.',
      samplePosts: ['A post'],
    })
  })

  test('goes away again, and what was typed before or since stays', () => {
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

  test('never makes more than a voice may have', () => {
    const full = { ...typed, toneAttributes: Array.from({ length: 12 }, (_, index) => `tone ${index}`) }
    expect(withAdded(full, additionsTo(full, suggested)).toneAttributes).toEqual(full.toneAttributes)
  })
})

test('the screen and the contract agree on how long a caption may be that is given to the model', () => {
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
    'neighbours, and what little stayed between them',
    'We met teh dogs and cat of Ann.',
    'We met some birds and fish of Ann.',
    'We met -teh dogs and cat-+some birds and fish+ of Ann.',
  ],
  ['what was only added', 'We bake bread.', 'We all bake good bread.', 'We +all +bake +good +bread.'],
])('of what changed in one place all that went stands before all that came: %s', (_, before, after, marked) => {
  const marks = { same: '', removed: '-', added: '+' }
  const shown = difference(before, after, 'en').map(({ kind, text }) => marks[kind] + text + marks[kind])
  expect(shown.join('')).toBe(marked)
})

test.each([
  ['nothing was there', '', 'The autumn menu is here.', false],
  ['it was added to', 'New roast.', 'New roast. Come by on Friday and taste it, with a slice of plum cake.', false],
  ['one word of it is another', 'Come by on Friday and taste it.', 'Come by on Monday and taste it.', false],
  ['one of two sentences is another', 'We bake bread. Taste it now.', 'We bake bread. Come on Friday.', false],
  ['nothing of it stayed', 'All my own words', 'The autumn menu starts today.', true],
  ['little words alone stayed', 'The new roast is in the shop.', 'Is autumn the best time in town?', true],
  [
    'less than half of it stayed',
    'We roasted the Night Boat blend this morning, and the guests loved it. Come by! https://harbour.example @anna',
    'Hello, friends! Have you heard of the Night Boat blend? In our words: a roastery. https://harbour.example @anna',
    true,
  ],
  ['it is another language', 'The autumn menu is here.', 'قائمة الخريف وصلت.', true],
])('a text is compared word by word unless it was rewritten: %s', (_, before, after, anew) => {
  expect(isRewritten(difference(before, after, 'en'))).toBe(anew)
})
