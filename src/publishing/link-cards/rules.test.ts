import { describe, expect, test } from 'vitest'
import { readPage } from './rules.ts'

const none = { title: null, description: null, picture: null }

describe('a page states', () => {
  test.each([
    ['<title>Tea</title>', { title: 'Tea' }],
    ['<TITLE lang=en>\n Green \n tea</TITLE>', { title: 'Green tea' }],
    ['<title>Tea</title><meta property="og:title" content="Best tea">', { title: 'Best tea' }],
    ["<meta content='Best tea' name='twitter:title'>", { title: 'Best tea' }],
    ['<meta name=description content=Short>', { description: 'Short' }],
    ['<meta name="description" content="a > b &amp; &#8220;c&#x201d;" />', { description: 'a > b & “c”' }],
    ['<meta property=og:image content="/cup.png">', { picture: '/cup.png' }],
    ['<meta property="og:title" content="One"><meta property="og:title" content="Two">', { title: 'One' }],
    ['<meta property="og:title" content=" "><title>Tea</title>', { title: 'Tea' }],
    ['<!-- <title>Old</title> --><title>New</title>', { title: 'New' }],
    ['<script>"<title>Old</title>"</script><title>New</title>', { title: 'New' }],
    ['<head><title>Tea</title></head><meta name="description" content="Of a reader">', { title: 'Tea' }],
    ['<body><title>Of a picture</title>', {}],
    ['<metadata><title', {}],
    ['<title>&#0;&#xd800;&unknown;</title>', { title: '&unknown;' }],
    ['', {}],
  ])('%s', (html, facts) => expect(readPage(html)).toEqual({ ...none, ...facts }))

  test('no more than a card has room for', () => {
    expect(readPage(`<title>${'ab'.repeat(500)}</title>`).title).toHaveLength(300)
  })

  test('its texts, read in time linear in hostile input', () => {
    for (const piece of [
      '<meta "',
      "<meta a='",
      '<meta a=',
      '<title>',
      '<!--',
      '<script>',
      '<meta a "b" ',
      '&',
      '<',
      '="',
    ]) {
      const begun = performance.now()
      readPage(piece.repeat(Math.ceil(524_288 / piece.length)))
      expect(performance.now() - begun).toBeLessThan(2_000)
    }
  })
})
