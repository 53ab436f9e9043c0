import { describe, expect, test } from 'vitest'
import { fill, keepable, placeholdersIn, type Written } from './rules.ts'

const written = (more: Partial<Written> = {}): Written => ({
  caption: '',
  hashtags: [],
  cta: '',
  captionOverrides: {},
  hashtagOverrides: {},
  platformOptions: {},
  linkTags: { on: null, campaign: null },
  ...more,
})

describe('placeholders', () => {
  const everywhere = written({
    caption: 'New: {{product}}, {{ المنتج }} and {{product}} {{}} {not}',
    cta: '{{act}}',
    hashtags: ['#{{product}}'],
    captionOverrides: { NET_PHOTO: { caption: '{{photo}}', cta: '{{a b}}' } },
    hashtagOverrides: { NET_VIDEO: ['{{tag}}'] },
    platformOptions: { NET_PAGE: { kind: 'post', firstComment: '{{comment}}' } },
  })

  test('are found in every text, each once', () => {
    expect(placeholdersIn(everywhere).toSorted()).toEqual(
      ['product', 'المنتج', 'act', 'photo', 'a b', 'tag', 'comment'].toSorted(),
    )
  })

  test('are filled in; one without a value stays visible; in a hashtag only letters, digits and _ are kept', () => {
    const filled = fill(everywhere, { product: 'Oat $& milk', act: ' ', comment: 'Here', toString: 'x', 'a b': 'Now' })
    expect(filled.caption).toBe('New: Oat $& milk, {{ المنتج }} and Oat $& milk {{}} {not}')
    expect(filled.cta).toBe('{{act}}')
    expect(filled.hashtags).toEqual(['#Oatmilk'])
    expect(filled.captionOverrides).toEqual({ NET_PHOTO: { caption: '{{photo}}', cta: 'Now' } })
    expect(filled.platformOptions).toEqual({ NET_PAGE: { kind: 'post', firstComment: 'Here' } })
    expect(fill(written({ caption: '{{constructor}}' }), {}).caption).toBe('{{constructor}}')
  })
})

test('options that must be chosen for each post, and the cover of one video, are not kept', () => {
  const platformOptions = {
    NET_PHOTO: { kind: 'reel', coverMs: 100 },
    NET_VIDEO: { privacyLevel: 'PUBLIC_TO_EVERYONE', consent: true, allowComment: true, coverMs: 5 },
  } as const
  expect(keepable(written({ platformOptions })).platformOptions).toEqual({
    NET_PHOTO: { kind: 'reel' },
    NET_VIDEO: { allowComment: true },
  })
  expect(keepable(written()).platformOptions).toEqual({})
})
