import { hash, verify } from '@node-rs/argon2'
import { AppError, type Fault } from '../errors.ts'

const AT_ONCE = 2
const QUEUE = 32
const MAX_LENGTH = 128

// argon2id, the library's default
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash that no password has: checking against it takes the time of a real check. */
const nobody = hash('nobody has this password, and everybody may know it', options)

let running = 0
const waiting: (() => void)[] = []

/** At most two hashes at once and 32 waiting: a flood of sign-ins cannot take the machine from everybody else. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= QUEUE)
      throw new AppError('unavailable', 'Too many sign-ins at this moment.', { retryAfter: 2 })
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, options))

/** Whether it is the password. Without a hash the answer is no, after the same time. */
export const isPassword = (password: string, hashed: string | null): Promise<boolean> =>
  inTurn(async () => (await verify(hashed ?? (await nobody), password)) && hashed !== null)

/** What is wrong with a new password, if anything. Any characters are fine; length and not being a common one count. */
export async function passwordFault(
  password: string,
  minLength: number,
  path = '/password',
): Promise<Fault | undefined> {
  const length = Array.from(password).length
  if (length < minLength) {
    return { path, code: 'too_short', message: `At least ${minLength} characters.`, limit: minLength }
  }
  if (length > MAX_LENGTH)
    return { path, code: 'too_long', message: `At most ${MAX_LENGTH} characters.`, limit: MAX_LENGTH }
  if ((await commonPasswords()).has(password.toLowerCase())) {
    return { path, code: 'too_common', message: 'This is among the most common passwords.' }
  }
  return undefined
}

let common: Promise<Set<string>> | undefined

/** Some 49,000 passwords that attackers try first; read when first needed. */
const commonPasswords = () =>
  (common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common'])))
