import { UnansweredRequest } from '../core/platform/send-once.ts'
import type { FailureRow } from './failures/rules.ts'
import { NetworkError } from './network.ts'

// What an answer, or none, says of a call, whichever network gave it.

/**
 * Whether an answer to a commit refuses it for certain: an error of the table, in the network's own envelope, with a status of a
 * refusal. Whatever stands between us and the network writes errors too, and often repeats the status as their code.
 */
export const isRefusal = (status: number, code: string | number, { known }: FailureRow) =>
  known && (status === 200 || (status >= 400 && status < 500)) && String(code) !== String(status)

/**
 * An answer in no shape of the network's. It proves nothing about a call with an effect; status 429 has any other call wait.
 */
export const unreadable = (status: number, retryAfterMs: number | undefined) =>
  new NetworkError(
    status === 429 ? 'rate_limit' : status >= 500 ? 'transient' : 'ambiguous',
    'The network answered what cannot be read.',
    { committed: 'maybe', networkCode: `http ${status}`, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  )

/** An answer that names something else than was asked about: it belongs to another call, and proves nothing about this one. */
export const foreign = () =>
  new NetworkError('ambiguous', 'The network answered about something else.', { committed: 'maybe' })

/** How long a network has us wait, where it says so in so many words: seconds, or a time. Milliseconds. */
export function retryAfterOf(headers: Headers): number | undefined {
  const said = headers.get('retry-after')
  if (said === null) return undefined
  const wait = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/** What takes its bytes only once: where it may have them already, it begins from nothing. */
export function beginAgain(error: unknown): never {
  if (!(error instanceof NetworkError) || error.committed === 'no') throw error
  const { failure, message, networkCode } = error
  throw new NetworkError(failure, message, {
    committed: 'maybe',
    spoilt: true,
    ...(networkCode && { networkCode }),
    cause: error,
  })
}

/** A call without an answer: unless its connection never opened, it may have had its effect. */
export function lost(error: unknown): NetworkError {
  const { left, code } = error instanceof UnansweredRequest ? error : new UnansweredRequest(true, error)
  return new NetworkError('transient', 'The network did not answer.', {
    networkCode: code,
    committed: left ? 'maybe' : 'no',
    cause: error,
  })
}
