import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstLink, hasLink, type Meanings, type Parameters, tagLinks } from './rules.ts'

const meanings: Meanings = { network: 'facebook', account: 'Café Nord & Söhne', date: '2026-11-23', post: null }
const parameters: Parameters = { source: '{network}', medium: 'social', campaign: '' }
const tag = (text: string, more: Partial<Parameters> = {}) => tagLinks(text, { ...parameters, ...more }, meanings)
const S = 'utm_source=facebook&utm_medium=social'

describe('the parameters of a link', () => {
  test.each([
    ['https://a.example', `https://a.example?${S}`],
    ['Look: http://a.example/x.', `Look: http://a.example/x?${S}.`],
    ['Seen https://a.example/? Go!', `Seen https://a.example/?${S}? Go!`],
    ['https://a.example/?id=1&b=%20#top', `https://a.example/?id=1&b=%20&${S}#top`],
    ['https://a.example/?id=1&', `https://a.example/?id=1&${S}`],
    ['(https://a.example/x)', `(https://a.example/x?${S})`],
    ['https://a.example/Tea_(drink), more', `https://a.example/Tea_(drink)?${S}, more`],
    ['«https://a.example»', `«https://a.example?${S}»`],
    ['زوروا https://a.example/قهوة، اليوم', `زوروا https://a.example/قهوة?${S}، اليوم`],
    ['https://a.example,https://b.example', `https://a.example?${S},https://b.example?${S}`],
    ['https://a.example/go?to=https://b.example', `https://a.example/go?to=https://b.example&${S}`],
    ['https://a.example?utm_source=mail', 'https://a.example?utm_source=mail&utm_medium=social'],
    ['https://a.example?UTM%5Fsource=mail&utm_medium=x', 'https://a.example?UTM%5Fsource=mail&utm_medium=x'],
    ['HTTPS://A.EXAMPLE/#/x?y=1', `HTTPS://A.EXAMPLE/?${S}#/x?y=1`],
    ['ftp://a.example a.example https:// xhttps://a.example', 'ftp://a.example a.example https:// xhttps://a.example'],
  ])('%s', (text, expected) => expect(tag(text)).toBe(expected))

  test('fill in their placeholders and are percent-encoded', () => {
    const campaign = '{account}/{date} {post} (sale!).'
    const at = tagLinks(
      'https://a.example',
      { source: '', medium: '', campaign },
      { ...meanings, post: '0193-abcdefabcdef' },
    )
    expect(at).toBe(
      'https://a.example?utm_campaign=caf%C3%A9-nord-s%C3%B6hne%2F2026-11-23%20abcdefabcdef%20%28sale%21%29%2E',
    )
    // The value has the same length before a post has an id as after.
    expect(tag('https://a.example', { campaign: '{post}' })).toMatch(/&utm_campaign=0{12}$/)
    expect(tag('https://a.example', { source: '', medium: '' })).toBe('https://a.example')
  })

  test.each([
    ['See https://a.example/x, then https://b.example.', 'https://a.example/x'],
    ['(HTTP://A.example/Tea_(drink))', 'HTTP://A.example/Tea_(drink)'],
    ['https:// or https://[x] or https://b.example!', 'https://b.example'],
    ['a.example #tea', null],
  ])('%s: the first link is found', (text, link) => expect(firstLink(text)).toBe(link))

  test('are needed only if a text has a link', () => {
    expect([hasLink('see https://a.example'), hasLink('see a.example')]).toEqual([true, false])
  })

  const word = fc.string({ unit: fc.constantFrom(...Array.from('abÄ/._-~%?&=#()[]!,;:\'"»،。 \n\u200f😀')) })
  const link = fc.tuple(
    fc.constantFrom('http://', 'https://', 'HTTPS://'),
    fc.constantFrom('a.example', 'b.example:81/x'),
    word,
  )
  const text = fc
    .array(
      fc.oneof(
        word,
        link.map((parts) => parts.join('')),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''))
  const values = fc.record({
    source: fc.constantFrom('{network}', 'a.', "it's (x)", ''),
    medium: fc.constantFrom('social', '&b=c#d?', '{date}.'),
    campaign: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('{account}!', '\ud800')),
  })

  test('are added only once', () => {
    fc.assert(
      fc.property(text, values, (given, wanted) => {
        const once = tagLinks(given, wanted, meanings)
        expect(tagLinks(once, wanted, meanings)).toBe(once)
      }),
      { numRuns: 2000 },
    )
  })

  test('are the only change to the text', () => {
    fc.assert(
      fc.property(text, (given) => {
        const bare = (shown: string) => shown.replaceAll('utm_source=zzz', '').replaceAll(/[?&]/g, '')
        expect(bare(tag(given, { source: 'zzz', medium: '' }))).toBe(bare(given))
      }),
      { numRuns: 2000 },
    )
  })

  test('reach the linked site, with every other parameter and the fragment as before', () => {
    const query = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), fc.webFragments()), { maxLength: 3 })
    const path = fc.stringMatching(/^[a-z/]{0,8}[a-z]$/)
    fc.assert(
      fc.property(
        path,
        query,
        fc.option(path),
        values,
        fc.constantFrom('', '.', '!', ')', ' and', '»'),
        (at, pairs, hash, wanted, after) => {
          const address = new URL(`https://a.example/${at}`)
          for (const [name, value] of pairs) address.searchParams.append(name, value.replaceAll(/[^\w]/g, ''))
          if (hash) address.hash = hash
          const found = new URL(
            tagLinks(`x ${address.href}${after}`, wanted, meanings).slice(2, after ? -after.length : undefined),
          )
          expect(found.hash).toBe(address.hash)
          for (const [name, value] of address.searchParams) expect(found.searchParams.getAll(name)).toContain(value)
          const added = [...found.searchParams.keys()].filter((name) => name.startsWith('utm_'))
          expect(added.length).toBeLessThanOrEqual(3)
          expect(found.searchParams.get('utm_medium')?.[0]).toMatch(/[s&2]/)
        },
      ),
    )
  })

  test('are added in time linear in the text', () => {
    for (const piece of [',', ')', 'https://a', 'https://a.example/,', '(', '?', '&']) {
      const long = `https://a.example/${piece.repeat(Math.ceil(100_000 / piece.length))}`
      const begun = performance.now()
      tag(long)
      expect(performance.now() - begun).toBeLessThan(5_000)
    }
  })
})
