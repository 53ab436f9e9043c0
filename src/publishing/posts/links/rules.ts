// Link parameters, by which statistics recognize where a visitor came from. Pure functions that browser and server
// share.

/** The parameters for links, with placeholders. */
export interface Parameters {
  source: string
  medium: string
  campaign: string
}

/** The values of the placeholders. */
export interface Meanings {
  network: string
  account: string
  date: string
  /** The id of the post; null until it has one. */
  post: string | null
}

const NO_ID = '000000000000'

/** Joins words into one without spaces and capitals, since statistics list such values side by side. */
const joined = (words: string) =>
  words
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

/** Fills in the placeholders of a parameter. `post` is the last twelve characters of the id, which are unique. */
function filled(text: string, { network, account, date, post }: Meanings): string {
  const values: Record<string, string> = { network, account: joined(account), date, post: post?.slice(-12) ?? NO_ID }
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole).trim()
}

/** Percent-encodes a value, including a final dot and other characters that look like the end of a sentence. */
const encoded = (value: string) =>
  encodeURIComponent(value.replaceAll(/\p{Cs}/gu, '')).replaceAll(
    /[!'()*]|\.$/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/**
 * An address in a text. It ends at a space, a quotation mark or an invisible character; a comma or semicolon separates
 * it from a next address.
 */
const ADDRESS = /(?<![a-z0-9])https?:\/\/(?:(?![,;،؛]https?:\/\/)[^\s\p{Cc}\p{Cf}<>"“”„«»`])+/giu

const ENDS = new Set(".,;:!?'’‘…،؛؟۔。、！？：；")
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '）': '（', '」': '「', '』': '『' }

/**
 * Returns the length of an address without punctuation that ends the sentence, and without a closing bracket that it
 * does not open.
 */
function lengthOf(address: string): number {
  const open: Record<string, number> = {}
  for (const sign of address) open[sign] = (open[sign] ?? 0) + 1
  let end = address.length
  for (; end > 0; end--) {
    const last = address[end - 1] as string
    const opening = OPENING[last]
    if (opening ? (open[last] ?? 0) <= (open[opening] ?? 0) : !ENDS.has(last)) break
    open[last] = (open[last] ?? 0) - 1
  }
  return end
}

/** Returns the name of a parameter as the linked site decodes it. */
function nameOf(parameter: string): string {
  const name = parameter.split('=', 1)[0] as string
  try {
    return decodeURIComponent(name).toLowerCase()
  } catch {
    return name.toLowerCase()
  }
}

function tagged(address: string, parameters: readonly (readonly [name: string, value: string])[]): string {
  const hash = address.indexOf('#')
  const [target, fragment] = hash < 0 ? [address, ''] : [address.slice(0, hash), address.slice(hash)]
  const mark = target.indexOf('?')
  const query = mark < 0 ? '' : target.slice(mark + 1)
  const there = new Set(query.split('&').map(nameOf))
  const added = parameters.filter(([name]) => !there.has(name)).map(([name, value]) => `${name}=${value}`)
  if (added.length === 0) return address
  const joint = mark < 0 ? '?' : query === '' || query.endsWith('&') ? '' : '&'
  return `${target}${joint}${added.join('&')}${fragment}`
}

/**
 * Adds the parameters to the http and https links of a text. A link keeps the parameters that it already has, including
 * these ones, its fragment and the punctuation after it. A parameter without a value is left out. Adding them twice has
 * no further effect.
 */
export function tagLinks(text: string, parameters: Parameters, meanings: Meanings): string {
  const pairs = (['source', 'medium', 'campaign'] as const)
    .map((name) => [`utm_${name}`, encoded(filled(parameters[name], meanings))] as const)
    .filter(([, value]) => value !== '')
  return text.replaceAll(ADDRESS, (found) => {
    const length = lengthOf(found)
    const address = found.slice(0, length)
    return /^https?:\/\/[^/?#]*[\p{L}\p{N}]/iu.test(address) ? tagged(address, pairs) + found.slice(length) : found
  })
}

/** Returns the first link of a text as written, or null. */
export function firstLink(text: string): string | null {
  for (const [found] of text.matchAll(ADDRESS)) {
    const address = found.slice(0, lengthOf(found))
    if (URL.canParse(address)) return address
  }
  return null
}

/** Whether a text has a link. */
export const hasLink = (text: string) => text.search(ADDRESS) >= 0
