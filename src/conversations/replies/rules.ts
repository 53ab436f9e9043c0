import type { PLACEHOLDERS } from './api.ts'

type Placeholder = (typeof PLACEHOLDERS)[number]

/** What a text can stand for; the web app imports it without the schemas. */
const known = { first_name: true, customer: true, account: true, me: true } satisfies Record<Placeholder, true>
export const placeholders = Object.keys(known) as Placeholder[]

const BRACES = /\{\{\s*([^{}|]*?)\s*(?:\|([^{}]*))?\}\}/gu

const isKnown = (name: string): name is Placeholder => Object.hasOwn(known, name)

/** The names in braces that stand for nothing, each once. */
export function unknownPlaceholders(text: string): string[] {
  const names = [...text.matchAll(BRACES)].map(([, name = '']) => name)
  return [...new Set(names.filter((name) => !isKnown(name)))]
}

/** The text for one conversation. A placeholder without a value gives what stands behind its bar, or nothing. */
export function fillReply(text: string, values: Readonly<Record<Placeholder, string>>): string {
  return text.replaceAll(BRACES, (whole, name: string, instead = '') =>
    isKnown(name) ? values[name].trim() || instead.trim() : whole,
  )
}

/** The first word of a name. */
export const firstName = (name: string): string => name.trim().split(/\s+/u)[0] ?? ''
