// What the head of a page states about it. The text is read in one pass, because it may come from an attacker.

export interface PageFacts {
  title: string | null
  description: string | null
  /** As written, so it may be relative to the page. */
  picture: string | null
}

const TAG = /<(?:!--|(meta|title|script|style|noscript|body|\/head)(?=[\s/>]))/gi
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?|[\s"'/=]+/y

/** The names under which pages state each fact, best first. */
const TITLES = ['og:title', 'twitter:title']
const DESCRIPTIONS = ['og:description', 'twitter:description', 'description']
const PICTURES = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src']

const MOST_TITLE = 300
const MOST_DESCRIPTION = 1_000

export function readPage(html: string): PageFacts {
  const said = new Map<string, string>()
  let title: string | null = null
  let at = 0
  // Only A to Z change, so that offsets are the same as in `html`.
  const lower = html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  /** Moves past `end`, or to the end of the page, and returns the text before it. */
  const skipTo = (end: string) => {
    const begin = at
    const found = lower.indexOf(end, at)
    at = found < 0 ? html.length : found + end.length
    return html.slice(begin, found < 0 ? html.length : found)
  }
  for (;;) {
    TAG.lastIndex = at
    const found = TAG.exec(html)
    if (!found) break
    at = TAG.lastIndex
    const name = found[1]?.toLowerCase()
    if (name === undefined) skipTo('-->')
    else if (name === 'body' || name === '/head') break
    else if (name === 'meta') {
      const [attributes, end] = attributesAt(html, at)
      at = end
      const key = (attributes.get('property') ?? attributes.get('name'))?.toLowerCase()
      const content = attributes.get('content')
      if (key && content?.trim() && !said.has(key)) said.set(key, content)
    } else {
      const inside = skipTo(`</${name}`)
      if (name === 'title') title ??= inside.slice(inside.indexOf('>') + 1)
    }
  }
  const first = (names: readonly string[]) => names.map((name) => said.get(name)).find((value) => value !== undefined)
  return {
    title: plain(first(TITLES) ?? title, MOST_TITLE),
    description: plain(first(DESCRIPTIONS), MOST_DESCRIPTION),
    picture: plain(first(PICTURES), 2_048),
  }
}

/** Returns the attributes of a tag, read from `begin` just after its name, and the offset at which they end. */
function attributesAt(html: string, begin: number): [Map<string, string>, number] {
  const attributes = new Map<string, string>()
  ATTRIBUTE.lastIndex = begin
  for (let at = begin; ; at = ATTRIBUTE.lastIndex) {
    const found = ATTRIBUTE.exec(html)
    if (!found) return [attributes, at]
    const [, name, ...values] = found
    if (name) attributes.set(name.toLowerCase(), values.find((value) => value !== undefined) ?? '')
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  middot: '·',
  bull: '•',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  pound: '£',
}

/** Decodes character references and returns one line of at most `most` characters, or null if nothing is left. */
function plain(text: string | null | undefined, most: number): string | null {
  if (text === null || text === undefined) return null
  const line = text
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
      if (name) return NAMED[(name as string).toLowerCase()] ?? whole
      const code = decimal ? Number(decimal) : Number.parseInt(hex as string, 16)
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
    })
    .replaceAll(/[\p{Cc}\p{Zs}\s]+/gu, ' ')
    .replaceAll(/\p{Cs}/gu, '')
    .trim()
  const signs = Array.from(line)
  return line === '' ? null : signs.length > most ? `${signs.slice(0, most - 1).join('')}…` : line
}
