import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import { AppError, type Fault } from '../../core/errors.ts'
import type { Settings } from '../../services.ts'

/** Requests that may hash a password, running and waiting. */
const PLACES = 34
/** How long one waits for a place before it is turned away, in milliseconds. */
const PAUSE_MS = 500
/** Hashes at once. One processor stays free for everything else. */
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1))
const MAX_LENGTH = 128

/** argon2id with two passes over this many KiB. */
const costing = (kib: number) => ({ memoryCost: kib, timeCost: 2, parallelism: 1 })

/** A hash that matches no password. Checking against it takes as long as a real check. */
let nobody: Promise<string> | undefined
const hashOfNobody = (kib: number) =>
  (nobody ??= hash('nobody has this password, and everybody may know it', costing(kib)))

let held = 0
let running = 0
const waiting: (() => void)[] = []

/** One error for all refusals: a flood would spend its time on collecting the stack of each. */
const FULL = new AppError('unavailable', 'Too many people are signing in right now. Try again in a moment.', {
  retryAfter: 2,
})

/**
 * Waits a moment if all places are taken, and throws `unavailable` if they still are. That slows down those who try
 * again at once. Costs no statement, so a flood of sign-ins leaves the database alone.
 */
export async function refuseWhenFull(): Promise<void> {
  if (held >= PLACES) await sleep(PAUSE_MS)
  if (held >= PLACES) throw FULL
}

/** Runs work that hashes a password in one of 34 places. Throws `unavailable` if they are taken. */
export async function inPlace<T>(work: () => Promise<T>): Promise<T> {
  if (held >= PLACES) await refuseWhenFull()
  // Others may have come meanwhile. Nothing can come between this look and the next line.
  if (held >= PLACES) throw FULL
  held += 1
  try {
    return await work()
  } finally {
    held -= 1
  }
}

async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  // One that waits takes over the place of the one that ended, so nobody comes between.
  if (running < AT_ONCE) running += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

type Cost = Pick<Settings, 'passwordKib'>

export const hashPassword = (password: string, { passwordKib }: Cost): Promise<string> =>
  inPlace(() => whenFree(() => hash(password, costing(passwordKib))))

/** Whether the password is right. Without a hash the answer is no, after the same time. The caller holds a place. */
export const isPassword = (password: string, hashed: string | null, { passwordKib }: Cost): Promise<boolean> =>
  whenFree(async () => (await verify(hashed ?? (await hashOfNobody(passwordKib)), password)) && hashed !== null)

/** The fault of a new password. All characters are allowed; only its length and how easily it is guessed count. */
export async function passwordFault(
  password: string,
  minLength: number,
  path = '/password',
): Promise<Fault | undefined> {
  const length = Array.from(password).length
  if (length < minLength) {
    return { path, code: 'too_short', message: `Use at least ${minLength} characters.`, limit: minLength }
  }
  if (length > MAX_LENGTH)
    return { path, code: 'too_long', message: `Use at most ${MAX_LENGTH} characters.`, limit: MAX_LENGTH }
  if (await isGuessable(password)) {
    return { path, code: 'too_common', message: 'This password is too easy to guess. Choose a less common one.' }
  }
  return undefined
}

/** The lowest accepted zxcvbn score, from 0 to 4. Passwords below it fall within a million guesses. */
const LEAST_SCORE = 2
/** Estimating a longer password takes a tenth of a second, and its first characters show its strength. */
const ESTIMATED = 64

type Estimate = (password: string) => number

let estimate: Promise<Estimate> | undefined

/** Estimates from some 49,000 passwords that attackers try first and from their variants. Loaded on first use. */
async function loadEstimate(): Promise<Estimate> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  const common = new Set<string>(dictionary['passwords-common'])
  return (password) => (common.has(password.toLowerCase()) ? 0 : estimator.check(password.slice(0, ESTIMATED)).score)
}

/** Whether a password is a common one, a variant of one (`password123456`), or a simple pattern. */
const isGuessable = async (password: string) => (await (estimate ??= loadEstimate()))(password) < LEAST_SCORE
