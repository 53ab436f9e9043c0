import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canShorten, droppedOf, isCorrection, type Measure, ranked } from './rules.ts'

const by: Measure = { about: 'oat milk coffee', length: 'short', change: null, terms: ['counter'], characters: 2200 }

describe('ranking', () => {
  test('does not depend on the order in which the model wrote', () => {
    const word = fc.constantFrom('oat', 'milk', 'coffee', 'counter', 'today', 'friends', 'أهلا', '新しい')
    const text = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '))
    const options = fc
      .uniqueArray(text, { minLength: 2, maxLength: 5 })
      .map((texts) => texts.map((each) => ({ text: each })))
    const shuffled = options.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(ranked(other, by)).toEqual(ranked(all, by))
      }),
    )
  })

  test('puts the option first that covers the brief in the right voice and length, and says why', () => {
    const [best, ...others] = ranked(
      [
        { text: 'Something else altogether.' },
        { text: 'Oat milk coffee is on the counter today: come and taste it while it is warm, and bring somebody.' },
        { text: 'A word on something else, again and again and again. '.repeat(20) },
      ],
      by,
    )
    expect(best?.text).toContain('counter')
    expect(best?.reasons).toEqual(['covers_brief', 'right_length', 'in_voice', 'fits_network', 'unlike_others'])
    expect(others.every(({ score }) => score < (best?.score ?? 0))).toBe(true)
    for (const { score } of others) expect(score).toBeGreaterThanOrEqual(0)
  })

  test.each([
    ['今日は新しいコーヒーを淹れています。', '新しいコーヒー', 'コーヒー', '天気がいいですね。'],
    ['我们的新茶今天上架。', '新茶上架', '新茶', '天气很好。'],
    ['วันนี้มีกาแฟสดใหม่', 'กาแฟสด', 'กาแฟ', 'อากาศดี'],
  ])('finds brief and voice also in scripts without spaces: %s', (text, about, term, other) => {
    const [best, last] = ranked([{ text: other }, { text }], { ...by, about, terms: [term] })
    expect(best?.text).toBe(text)
    expect(best?.reasons).toEqual(expect.arrayContaining(['covers_brief', 'in_voice']))
    expect(last?.reasons).not.toContain('covers_brief')
    expect(last?.reasons).not.toContain('in_voice')
  })

  test('each option names what only it has, and what no other does clearly better', () => {
    const texts = [
      'Oat milk coffee is on the counter today: come and taste it while it is warm.',
      'Would you like to taste oat milk coffee while it is warm, on the counter today?',
      'Oat milk coffee on the counter, today alone.',
      'On the counter today there is something that we made for you, with oat, for a quiet morning of yours.',
    ]
    const reasonsOf = (all: readonly string[], wish: Partial<Measure> = { length: null }) => {
      const measured = ranked(
        all.map((text) => ({ text })),
        { ...by, ...wish },
      )
      return all.map((text) => measured.find((option) => option.text === text)?.reasons)
    }
    const [says, asks, short, long] = reasonsOf(texts)
    expect(new Set([says, asks, short, long].map(String)).size).toBe(4)
    expect([says?.[0], asks?.[0], short?.[0], long?.[0]]).toEqual([
      'covers_brief',
      'asks_question',
      'shortest',
      'longest',
    ])
    // If a length was requested, its opposite is not a strength.
    const lengths = ['shortest', 'longest']
    for (const [wish, merits] of [
      [{ length: 'short' }, ['shortest']],
      [{ length: 'long-form' }, ['longest']],
      [{ length: 'medium' }, []],
      [{ length: null, change: 'shorter' }, ['shortest']],
      [{ length: null, change: 'longer' }, ['longest']],
    ] as const)
      expect(reasonsOf(texts, wish).flatMap((all) => all?.filter((one) => lengths.includes(one)))).toEqual(merits)
    // Covering a third of the brief is worse than all of it. A single option, or one with the same features, does not
    // stand out.
    expect(long).not.toContain('covers_brief')
    expect(reasonsOf(texts.slice(0, 1))[0]).not.toContain('shortest')
    expect(reasonsOf(['Oat? Milk.', 'Tea? Milk.']).flat()).not.toContain('asks_question')
    expect(reasonsOf(['قهوة اليوم؟', 'قهوة اليوم.'])[0]).toContain('asks_question')
  })

  test('a criterion in which another option does better is not a reason', () => {
    const [full, most] = ranked([{ text: 'Milk with coffee, and warm.' }, { text: 'Milk for you, and warm.' }], {
      about: 'milk coffee warm',
      length: null,
      change: null,
      terms: null,
      characters: null,
    })
    expect([full?.reasons.includes('covers_brief'), most?.reasons.includes('covers_brief')]).toEqual([true, false])
  })

  test('a criterion that cannot be measured does not count', () => {
    const none = { about: null, length: null, change: null, terms: null, characters: null }
    expect(ranked([{ text: 'a' }], none)).toEqual([{ text: 'a', score: 1, reasons: [] }])
  })
})

test.each([
  ['teh cofee is redy', 'The coffee is ready.', true],
  ['We dont open tommorow', 'We don’t open tomorrow.', true],
  ['هاذا الخبز جاهز لاكن القهوة لا', 'هذا الخبز جاهز لكن القهوة لا', true],
  ['新しいお茶がが届きました', '新しいお茶が届きました', true],
  ['The coffee is ready', 'The coffee is ready', true],
  ['The coffee is ready', 'A fine cup waits for you', false],
  ['The coffee is ready', 'The coffee is ready: come by and taste it', false],
  ['The coffee is ready, the tea is not, and the cake is gone', 'The coffee is ready', false],
  ['新しいお茶が届きました', '今日は天気がいいですね', false],
  ['abc '.repeat(2500), 'xyz '.repeat(2500), false],
  // In a long text, as many changes as an editor makes, not as many as a rewrite.
  ['abc '.repeat(2500), 'abd '.repeat(400) + 'abc '.repeat(2100), true],
  ['abc '.repeat(2500), 'abd '.repeat(401) + 'abc '.repeat(2099), false],
])('a correction may only fix mistakes: %.30s… %.30s… %s', (of, text, is) => {
  expect(isCorrection(text, of)).toBe(is)
})

test('a line of a few words cannot be shortened', () => {
  expect([
    canShorten('Fresh bread today'),
    canShorten('新しいお茶が山から届きました。'),
    canShorten(' '.repeat(90)),
  ]).toEqual([false, false, false])
  expect(canShorten('Our new oat milk cappuccino is on the counter today.')).toBe(true)
})

test('dropped answers are counted by their fault, and unwritten ones as missing', () => {
  expect(droppedOf(5, 2, ['emoji_policy', 'emoji_policy'])).toEqual([
    { code: 'emoji_policy', count: 2 },
    { code: 'missing', count: 1 },
  ])
  expect(droppedOf(3, 3, ['empty'])).toEqual([])
})
