import { wordsOf } from '../../assistant/ai/words/rules.ts'
import type { Memory } from './api.ts'

// What may be remembered about a customer, and with what confidence. Pure. The model proposes, and these rules decide.

type Key = Memory['key']

const DAY = 24 * 3_600_000

/** Each key with its type, and how many milliseconds it is remembered. */
export const KEYS: Readonly<Record<Key, { type: Memory['memoryType']; life: number }>> = {
  first_name: { type: 'identity', life: 730 * DAY },
  size: { type: 'preference', life: 180 * DAY },
  interest: { type: 'preference', life: 180 * DAY },
  order: { type: 'order', life: 90 * DAY },
  complaint: { type: 'issue', life: 30 * DAY },
}

const LONGEST = 200
/** The initial confidence in a value. It rises with each repetition, and a value is used from `USED` on. */
export const BEGINS = 0.5
const RISES = 0.2
const HIGHEST = 0.95
export const USED = 0.4
/** The maximum number of values that the model gets. */
export const MOST = 12

export const raised = (confidence: number): number => Math.min(HIGHEST, Math.round((confidence + RISES) * 100) / 100)

const LINK = /https?:|www\.|\b[\w-]+\.(?:com|net|org|io|de|fr|es|sa|ae|info|biz|co)\b|[\w.+-]@[\w-]|@\w{2,}/i
/** Words that give an order, or that refer to the instructions of a program. */
const ORDERS =
  /\b(?:ignore|disregard|forget|always|never|must|should|reply|answer|say|write|tell|send|give|offer|promise|pretend|act|repeat|reveal|output|system|prompt|instructions?|rules?|discount|refund|free)\b|ignorier|immer|niemals|antworte|schreib|gib|sende|rabatt|ignore[zr]|toujours|jamais|réponds|écris|donne|remise|ignora|siempre|nunca|responde|escribe|dale|descuento|تجاهل|دائما|أبدا|أجب|اكتب|أعط|خصم/iu

const plain = (text: string) => wordsOf(text).join(' ')

/**
 * Whether a value may be remembered. It must be a few words from the customer's own message, without a link or an
 * order.
 */
export function mayRemember(key: string, value: string, message: string): key is Key {
  if (!(key in KEYS)) return false
  const said = plain(value)
  if (said === '' || value.length > LONGEST || /[\n\r]/.test(value)) return false
  if (!` ${plain(message)} `.includes(` ${said} `)) return false
  if (LINK.test(value) || ORDERS.test(value)) return false
  if (key === 'first_name') return /^\p{L}[\p{L}\p{M}'’-]{0,39}$/u.test(value)
  if (key === 'size') return /^[\p{L}\p{N} .,/-]{1,20}$/u.test(value)
  return true
}

/** Whether two values say the same, apart from case and punctuation. */
export const sameValue = (a: string, b: string): boolean => plain(a) === plain(b)
