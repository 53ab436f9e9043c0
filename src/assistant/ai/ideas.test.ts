import { expect, test } from 'vitest'
import { type IdeaFacts, ideasOf, MOST_IDEAS, type Topic } from './ideas.ts'

const now = new Date('2026-11-23T08:00:00Z') // a Monday
const facts = (more: Partial<IdeaFacts> = {}): IdeaFacts => ({
  now,
  timezone: 'Europe/Berlin',
  language: 'en',
  niche: 'Tea',
  slots: [],
  planned: [],
  old: [],
  times: [],
  hashtags: [],
  published: [],
  ...more,
})
const topic: Topic = { title: 'Steeping', reason: 'People ask.', topic: 'How long tea steeps', tone: 'plain' }
const of = (kind: string, given: IdeaFacts, topics: Topic[] = []) =>
  ideasOf(given, topics).filter((idea) => idea.kind === kind)

test("an empty day of the coming week is a gap, by the workspace's time zone", () => {
  const days = ['24', '25', '26', '27', '28', '30'].map((day) => ({
    at: new Date(`2026-11-${day}T12:00:00Z`),
    accounts: [],
  }))
  // Late on Saturday in Berlin is already Sunday further east.
  const [gap, ...more] = of('gap', facts({ planned: days }))
  expect(more).toEqual([])
  expect(gap).toMatchObject({ title: 'Nothing is planned for Sunday, November 29', brief: { topic: 'Tea' } })
  expect(gap?.scheduledAt).toBe('2026-11-29T08:00:00.000Z')
  const sunday = { at: new Date('2026-11-28T23:30:00Z'), accounts: [] }
  expect(of('gap', facts({ planned: [...days, sunday] }))).toEqual([])
  expect(of('gap', facts({ planned: [...days, sunday], timezone: 'America/New_York' }))).toHaveLength(1)
})

test('free slots of the queue come first, else the usual hour', () => {
  const slots = [{ day: 'friday', time: '16:00', accounts: null }] as const
  const published = Array.from({ length: 6 }, () => new Date('2026-11-01T17:10:00Z'))
  expect(of('time', facts({ slots, published })).map(({ title }) => title)).toEqual([
    'Fill the free slot on Friday, November 27 at 4:00 PM',
  ])
  expect(of('time', facts({ slots, published, language: 'ar' })).map(({ title }) => title)).toEqual([
    'املأ الموعد المتاح يوم الجمعة، 27 نوفمبر الساعة 4:00 م',
  ])
  expect(of('time', facts({ slots, published }))[0]?.scheduledAt).toBe('2026-11-27T15:00:00.000Z')
  const taken = { at: new Date('2026-11-27T15:00:00Z'), accounts: ['a'] }
  const usual = facts({ slots, published, planned: [taken] })
  expect(of('time', usual)[0]).toMatchObject({
    title: 'Post at around 6:00 PM',
    scheduledAt: '2026-11-23T17:00:00.000Z',
  })
  const evening = new Date('2026-11-23T18:00:00Z')
  expect(of('time', { ...usual, now: evening })[0]?.scheduledAt).toBe('2026-11-24T17:00:00.000Z')
  expect(of('gap', usual)[0]?.scheduledAt).toBe('2026-11-24T17:00:00.000Z')
  expect(of('time', facts({ published: published.slice(2) }))).toEqual([])
})

test('old posts and often used hashtags are suggested again', () => {
  const old = [
    {
      caption: `Our oldest tea ${'and more '.repeat(20)}`,
      publishedAt: new Date('2026-08-01T10:00:00Z'),
      platforms: [],
      percentile: null,
    },
  ]
  const [again] = of('repost', facts({ old }))
  expect(again?.title).toMatch(/^Post it again: Our oldest tea .{10,60}…$/)
  expect(again).toMatchObject({ brief: { topic: old[0]?.caption }, scheduledAt: null })
  const hashtags = [
    { tag: '#tea', count: 5 },
    { tag: '#rare', count: 2 },
  ]
  expect(of('hashtag', facts({ hashtags }))).toMatchObject([
    { title: 'Keep using #tea', brief: { hashtags: { include: true, count: 1 } } },
  ])
})

test('topics come first, at most ten ideas are returned, and every brief can be sent as it is', () => {
  const old = [1, 2, 3].map((n) => ({
    caption: `Tea ${n}`,
    publishedAt: new Date('2026-01-01T00:00:00Z'),
    platforms: [],
    percentile: null,
  }))
  const hashtags = [{ tag: '#tea', count: 9 }]
  const slots = [9, 10, 11].map((hour) => ({
    day: 'friday' as const,
    time: `${hour}:00`.padStart(5, '0'),
    accounts: null,
  }))
  const all = ideasOf(
    facts({ old, hashtags, slots }),
    Array.from({ length: 6 }, () => topic),
  )
  expect(all).toHaveLength(MOST_IDEAS)
  expect(all[0]).toMatchObject({
    kind: 'topic',
    title: 'Steeping',
    brief: { topic: 'How long tea steeps', tone: 'plain' },
  })
  expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).toSorted((a, b) => b - a))
  for (const idea of ideasOf(facts({ niche: '' }), [])) expect(idea.brief.topic).not.toBe('')
})

test('ideas are in the language of the workspace', () => {
  const [gap] = of('gap', facts({ language: 'ar' }))
  expect(gap?.title).toMatch(/^لا شيء مخطط ليوم الثلاثاء/)
  expect(gap?.reason).toBe('في الأسبوع القادم 7 أيام بلا منشورات.')
  expect(of('gap', facts({ language: 'fr' }))[0]?.title).toMatch(/^Nothing/)
})

test('texts are never cut inside a character', () => {
  const at = (length: number) => `${'a'.repeat(length - 1)}🎉 and more`
  const old = [60, 2000].map((length) => ({
    caption: at(length),
    publishedAt: new Date('2026-08-01T10:00:00Z'),
    platforms: [],
    percentile: null,
  }))
  // JSON escapes half a surrogate pair like this.
  const half = /\\ud[89a-f]/i
  expect(JSON.stringify(ideasOf(facts({ old }), []))).not.toMatch(half)
  expect(JSON.stringify(ideasOf(facts({ old: old.slice(1), niche: '' }), []))).not.toMatch(half)
})

test.each([
  ['Your audience really loves it.', false],
  ['Posts about bread perform well.', false],
  ['Posts about bread were read more than others.', false],
  ['It gets 40 % more clicks.', false],
  ['It is the most popular of your teas.', false],
  ['جمهورك يحب هذا النوع من المنشورات.', false],
  ['ما كُتب عن الخبز قرأه الناس أكثر من غيره.', false],
  ['Beiträge über Brot wurden mehr gelesen als andere.', false],
  ['Vos abonnés adorent les coulisses.', false],
  ['このような投稿は人気です。', false],
  ['One of your last posts is about bread.', true],
  ['Winter begins in a week, and you have soup.', true],
  ['It shows how you work, like a visit.', true],
  ['أحد منشوراتكم الأخيرة عن الخبز.', true],
  ['Einer eurer letzten Beiträge handelt von Brot.', true],
])('a reason with unmeasured claims is replaced: %s', (reason, kept) => {
  const why = (language: string) => of('topic', facts({ language }), [{ ...topic, reason }])[0]?.reason
  expect(why('en')).toBe(kept ? reason : 'It comes from what your workspace is about and from your last posts.')
  expect(why('ar')).toBe(kept ? reason : 'تأتي من مجال مساحة عملك ومن منشوراتك الأخيرة.')
})

test('a time with better results comes before the queue and replaces the usual hour', () => {
  const published = Array.from({ length: 6 }, () => new Date('2026-11-01T17:10:00Z'))
  const times = [
    { account: 'Willow Bakery', at: new Date('2026-11-24T19:00:00Z'), posts: 14, ratio: 1.4, low: 1.1, high: 1.8 },
  ]
  const found = of('time', facts({ times, published }))
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({
    title: 'Post on Tuesday, November 24 at around 8:00 PM',
    reason: 'Willow Bakery: 14 posts at this time got 1.4 times the usual engagement (probably 1.1 to 1.8 times).',
    scheduledAt: '2026-11-24T19:00:00.000Z',
  })
})

test('a post that is suggested again shows how it did, if that is known', () => {
  const post = { caption: 'Rolls', publishedAt: new Date('2026-08-01T10:00:00Z'), platforms: [] }
  const [known, unknown] = of(
    'repost',
    facts({
      old: [
        { ...post, percentile: 0.93 },
        { ...post, percentile: null },
      ],
    }),
  )
  expect(known?.reason).toBe(
    'It got more engagement than 93% of the posts of its account. It went out on August 1, 2026.',
  )
  expect(unknown?.reason).toBe('It went out on August 1, 2026, at least two months ago.')
})
