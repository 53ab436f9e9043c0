import type { DeliveryError } from '../src/delivery/api.ts'

/** Returns the text of a key that the service sends, or the fallback if the language has none. */
export type Maybe = (key: string, fallback: string, values?: Record<string, string | number>) => string

/** Why a delivery failed, and how to fix it. `original` is the network's own message when ours replaces it. */
export function failureWords({ code, networkCode, message, fix, limit, text }: DeliveryError, maybe: Maybe) {
  const { key, values } = text ?? { key: `failures.${code}`, values: { limit: limit ?? '' } }
  const said = maybe(`${key}.message`, message, values)
  // A network never gives a message without a code. Failures of older versions have no `text`.
  const isOurs = text !== undefined || networkCode === null
  return { message: said, fix: maybe(`${key}.fix`, fix, values), original: isOurs || said === message ? null : message }
}
