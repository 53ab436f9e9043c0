import { setTimeout as sleep } from 'node:timers/promises'
import { ModelError } from './model.ts'

/**
 * Milliseconds. `wholeMs` is longer than a request waits for its answer: a request for a slow model is answered 202,
 * and the call continues.
 */
export const LIMITS = { wholeMs: 60_000, retryMs: 500 }
export type Limits = typeof LIMITS
const TRIES = 3

/** An answer with an error status. */
interface Refusal {
  status: number
  headers: Record<string, string>
  body: string
}

export class RefusedCall extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`The provider responded with ${refusal.status}`)
    this.refusal = refusal
  }
}

/** Callbacks while an answer arrives. */
export interface Heard {
  /** Called for a successful status: from then on the call may cost something and is not repeated. */
  begun(): void
}

interface Call<T> {
  run(signal: AbortSignal, heard: Heard): Promise<T>
  /** Whether the server only rejected a parameter that the next call can leave out. */
  relearn(refusal: Refusal): boolean
}

/**
 * Makes a call within the time limits, and repeats it at most twice after failures that may pass. Throws only
 * `ModelError`, since errors of the libraries contain the request.
 */
export async function callModel<T>(asked: AbortSignal, limits: Limits, call: Call<T>): Promise<T> {
  const over = new AbortController()
  const whole = setTimeout(() => over.abort(), limits.wholeMs)
  const signal = AbortSignal.any([asked, over.signal])
  const stopped = () =>
    asked.aborted && !isTimeout(asked.reason)
      ? new ModelError('aborted', 'The call was stopped')
      : new ModelError('timeout', 'The model did not respond in time')
  let stop = () => {}
  // A library may be slow to notice the abort.
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(stopped())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([ended, tried(limits, signal, call)])
  } catch (error) {
    if (signal.aborted) throw stopped()
    throw error instanceof ModelError ? error : failureOf(error)
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(whole)
    // Stops a provider that is still sending.
    over.abort()
  }
}

/** A time limit of the caller counts as a timeout, not as a stop. */
const isTimeout = (reason: unknown) => (reason as Error | undefined)?.name === 'TimeoutError'

async function tried<T>(limits: Limits, signal: AbortSignal, call: Call<T>): Promise<T> {
  const until = performance.now() + limits.wholeMs
  let learned = 0
  for (let left = TRIES - 1; ;) {
    let begun = false
    try {
      return await call.run(signal, { begun: () => (begun = true) })
    } catch (error) {
      if (signal.aborted || begun || error instanceof ModelError) throw error
      const refusal = refusalOf(error)
      if (refusal && learned < TRIES && call.relearn(refusal)) {
        learned += 1
        continue
      }
      const wait = waitOf(refusal) ?? limits.retryMs * 2 ** (TRIES - 1 - left) * (1 + Math.random() / 2)
      if (left === 0 || !mayPass(error, refusal) || performance.now() + wait > until) throw error
      left -= 1
      await sleep(wait, undefined, { signal })
    }
  }
}

/** Also recognizes the errors of the libraries. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof RefusedCall) return error.refusal
  const { statusCode, responseHeaders, responseBody } = error as Partial<Record<string, unknown>>
  if (typeof statusCode !== 'number' || statusCode < 400) return undefined
  return {
    status: statusCode,
    headers: (responseHeaders ?? {}) as Record<string, string>,
    body: typeof responseBody === 'string' ? responseBody : '',
  }
}

const NO_MONEY = /insufficient_quota|billing_hard_limit/

function mayPass(error: unknown, refusal: Refusal | undefined): boolean {
  // Without an answer, the server was not reached or closed the connection.
  if (!refusal) return UNREACHED.test(codeOf(error))
  return refusal.status >= 500 || (refusal.status === 429 && !NO_MONEY.test(refusal.body))
}
const UNREACHED = /^(E[A-Z_]+|UND_ERR_[A-Z_]+)$/

/** Milliseconds, if the provider names a time. */
function waitOf(refusal: Refusal | undefined): number | undefined {
  const exact = Number.parseFloat(refusal?.headers['retry-after-ms'] ?? '')
  if (exact >= 0) return exact
  const told = refusal?.headers['retry-after'] ?? ''
  if (/^\d+(\.\d+)?$/.test(told)) return Number(told) * 1000
  const at = Date.parse(told)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

function failureOf(error: unknown): ModelError {
  const refusal = refusalOf(error)
  if (!refusal) return new ModelError('failed', `The model did not respond: ${codeOf(error)}`)
  const { status, body } = refusal
  const named = (field: string) => new RegExp(`"${field}"\\s*:\\s*"(?!error")([\\w.-]{1,60})"`).exec(body)?.[1]
  const code = named('code') ?? named('type')
  const words = `The model responded with an error: ${status}${code ? ` ${code}` : ''}`
  if (/content_policy|content_filter|moderation_blocked/.test(body)) return new ModelError('refused', words)
  const busy = (status === 429 && !NO_MONEY.test(body)) || status === 503 || status === 529
  return new ModelError(busy ? 'busy' : 'failed', words)
}

/** The code of a failure's innermost cause. Messages of a library may contain the request. */
function codeOf(error: unknown): string {
  const { cause, code, name } = error as { cause?: unknown; code?: unknown; name?: unknown }
  if (cause && codeOf(cause) !== 'Error') return codeOf(cause)
  return String(code ?? name)
}
