import { UnansweredRequest } from '../core/platform/send-once.ts'
import { refusals } from '../core/texts/failures/en.ts'
import { type ErrorKind, type FailureCode, failures, type FailureRow } from './failures/rules.ts'

// Finds out what became of a call from its answer, or from the lack of one. The same for every network.

/** The refusal of a network, or its failure to answer. `committed` is `maybe` if the call may have had its effect. */
export class NetworkError extends Error {
  readonly failure: FailureCode
  readonly kind: ErrorKind
  readonly committed: 'no' | 'maybe'
  /** The network's own code, with the subcode after a slash. */
  readonly networkCode: string | null
  /** The network's own message for people. The error's `message` is for the log. */
  readonly said: string | null
  readonly retryAfterMs: number | undefined
  readonly traceId: string | undefined
  /** The prepared handles are no longer usable, so another try starts from the beginning. */
  readonly spoilt: boolean
  /** The limit that the content exceeds, if the text of the failure mentions it. */
  readonly limit: number | undefined
  /** Additional data of the network, in its own format. */
  readonly data: unknown

  constructor(
    failure: FailureCode,
    message: string,
    more: Partial<
      Pick<NetworkError, 'committed' | 'said' | 'retryAfterMs' | 'traceId' | 'spoilt' | 'limit' | 'data'>
    > & {
      networkCode?: string
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'NetworkError'
    this.failure = failure
    this.kind = failures[failure].kind
    this.committed = more.committed ?? 'no'
    this.networkCode = more.networkCode ?? null
    this.said = more.said ?? null
    this.retryAfterMs = more.retryAfterMs
    this.traceId = more.traceId
    this.spoilt = more.spoilt ?? false
    this.limit = more.limit
    this.data = more.data
  }
}

/** Creates the error for an answer from its row in the table of failures. `said` is the network's own message, if any. */
export const refusal = (
  { code, subcode, failure, committed, spoilt }: FailureRow,
  said: string | null | undefined,
  more: ConstructorParameters<typeof NetworkError>[2] = {},
) =>
  new NetworkError(failure, said || refusals[failure].message, {
    said: said || null,
    networkCode: subcode === null ? code : `${code}/${subcode}`,
    committed,
    spoilt,
    ...more,
  })

/**
 * Whether an answer to a commit is a certain refusal: an error of the table, in the network's own envelope, with the
 * status of a refusal. Proxies between us and the network also send errors, and often repeat the status as the code.
 */
export const isRefusal = (status: number, code: string | number, { known }: FailureRow) =>
  known && (status === 200 || (status >= 400 && status < 500)) && String(code) !== String(status)

/**
 * The error for an answer that is not in the network's format. It proves nothing about a call with an effect. Status
 * 429 makes any other call wait.
 */
export const unreadable = (status: number, retryAfterMs: number | undefined) =>
  new NetworkError(
    status === 429 ? 'rate_limit' : status >= 500 ? 'transient' : 'ambiguous',
    'The network’s response couldn’t be read.',
    { committed: 'maybe', networkCode: `http ${status}`, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  )

/**
 * Returns the refusal that an answer contains, unless its status is 429 and the call has no effect: then it is a limit,
 * whatever the body says.
 */
export const unlessLimit = (status: number, commit: boolean, refused: NetworkError | undefined) =>
  status === 429 && !commit && refused?.kind !== 'RATE_LIMIT' ? undefined : refused

/**
 * The error for an answer about another object than the requested one. It belongs to another call and proves nothing
 * about this one.
 */
export const foreign = () =>
  new NetworkError('ambiguous', 'The network responded about something else.', { committed: 'maybe' })

/** Returns the wait in `retry-after`, which is in seconds or a time, in milliseconds. */
export function retryAfterOf(headers: Headers): number | undefined {
  const said = headers.get('retry-after')
  if (said === null) return undefined
  const wait = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/**
 * Rethrows the error of an upload that accepts its bytes only once. If the network may have the bytes already, the
 * upload must start again.
 */
export function beginAgain(error: unknown): never {
  if (!(error instanceof NetworkError) || error.committed === 'no') throw error
  const { failure, message, networkCode, said } = error
  throw new NetworkError(failure, message, {
    committed: 'maybe',
    spoilt: true,
    said,
    ...(networkCode && { networkCode }),
    cause: error,
  })
}

/** The error of a call without an answer. The call may have had its effect, unless its connection never opened. */
export function lost(error: unknown): NetworkError {
  const { left, code } = error instanceof UnansweredRequest ? error : new UnansweredRequest(true, error)
  return new NetworkError('transient', 'The network didn’t respond.', {
    networkCode: code,
    committed: left ? 'maybe' : 'no',
    cause: error,
  })
}
