/** A part of a text, which is an address or not. */
export interface TextPart {
  text: string
  href?: string
}

/** Addresses that people may follow. Others, such as `javascript:`, stay text. */
const ADDRESS = /https?:\/\/[^\s<>"]+/gi
/** What ends a sentence or a bracket around an address. */
const END = /(?<![.,:;!?'’”»)\]،؛؟])[.,:;!?'’”»)\]،؛؟]+$/

/** Splits a text at the addresses of web pages in it. */
export function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = trimmed(found)
    if (!URL.canParse(address)) continue
    if (index > from) parts.push({ text: text.slice(from, index) })
    parts.push({ text: address, href: address })
    from = index + address.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

/** An address without the punctuation behind it. A bracket that it opens itself stays. */
function trimmed(found: string): string {
  const end = END.exec(found)?.[0] ?? ''
  const address = found.slice(0, found.length - end.length)
  return end.startsWith(')') && address.split('(').length > address.split(')').length ? `${address})` : address
}
