import { expect, test } from 'vitest'
import { partsOf } from '../../web/features/conversations/inbox/links.ts'

test.each([
  ['See https://example.com/a?b=1#c, please.', ['https://example.com/a?b=1#c']],
  ['(http://example.com/a) HTTPS://EXAMPLE.COM', ['http://example.com/a', 'HTTPS://EXAMPLE.COM']],
  ['https://example.com/a_(b)', ['https://example.com/a_(b)']],
  ['انظر https://example.com/طلب؟', ['https://example.com/طلب']],
  ['"https://example.com"<https://example.org>', ['https://example.com', 'https://example.org']],
  ['javascript:alert(1) data:text/html,x ftp://example.com www.example.com https://', []],
  ['', []],
])('the addresses of web pages in %j are %j', (text, links) => {
  const parts = partsOf(text)
  expect(parts.flatMap(({ href }) => href ?? [])).toEqual(links)
  expect(parts.map((part) => part.text).join('')).toBe(text)
})
