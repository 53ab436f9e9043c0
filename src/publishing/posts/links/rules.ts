// The parameters by which statistics know where an opened link came from. Pure: browser and server put in the same.

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
  /** The id of the post; null before it has one. */
  post: string | null
}

const NO_ID = '000000000000'

/** Words as one word: what statistics list side by side has no spaces and no capitals. */
const joined = (words: string) =>
  words
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

/** A parameter with its placeholders filled in. Of an id its last twelve characters, which no other post has. */
function filled(text: string, { network, account, date, post }: Meanings): string {
  const values: Record<string, string> = { network, account: joined(account), date, post: post?.slice(-12) ?? NO_ID }
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole).trim()
}

/** As it stands in an address, ending in nothing that a reader of the text would take for the end of a sentence. */
const encoded = (value: string) =>
  encodeURIComponent(value.replaceAll(/\p{Cs}/gu, '')).replaceAll(
    /[!'()*]|\.$/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** An address in a text: until a space, a quotation mark or a mark that is not seen; a comma before the next one parts them. */
const ADDRESS = /(?<![a-z0-9])https?:\/\/(?:(?![,;،؛]https?:\/\/)[^\s\p{Cc}\p{Cf}<>"“”„«»`])+/giu

const ENDS = new Set(".,;:!?'’‘…،؛؟۔。、！？：；")
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '）': '（', '」': '「', '』': '『' }

/** The length of an address, without the sign that ends the sentence or the bracket around it. */
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

/** The name of a parameter as the site that is linked reads it. */
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
 * A text with the parameters in its http and https links. What a link has already stays, of these parameters too; so do its
 * fragment and the signs after it. A parameter without a value is left out. Done twice it is what it is done once.
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

/** The first link of a text, as it is written; null without one. */
export function firstLink(text: string): string | null {
  for (const [found] of text.matchAll(ADDRESS)) {
    const address = found.slice(0, lengthOf(found))
    if (URL.canParse(address)) return address
  }
  return null
}

/** Whether there is a link in a text. */
export const hasLink = (text: string) => text.search(ADDRESS) >= 0
