import type { PLACEHOLDERS } from './api.ts'

type Placeholder = (typeof PLACEHOLDERS)[number]

/** The known placeholders. The web app imports them without the schemas. */
const known = { first_name: true, customer: true, account: true, me: true } satisfies Record<Placeholder, true>
export const placeholders = Object.keys(known) as Placeholder[]

const BRACES = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/gu

const isKnown = (name: string): name is Placeholder => Object.hasOwn(known, name)

/** Returns the unknown names in braces, each once. */
export function unknownPlaceholders(text: string): string[] {
  const names = [...text.matchAll(BRACES)].map(([, name = '']) => name.trim())
  return [...new Set(names.filter((name) => !isKnown(name)))]
}

/** Fills a text for one conversation. A placeholder without a value gives the text after its bar, or nothing. */
export function fillReply(text: string, values: Readonly<Record<Placeholder, string>>): string {
  return text.replaceAll(BRACES, (whole, written: string, instead = '') => {
    const name = written.trim()
    return isKnown(name) ? values[name].trim() || instead.trim() : whole
  })
}

/** Returns the first word of a name. */
export const firstName = (name: string): string => name.trim().split(/\s+/u)[0] ?? ''
