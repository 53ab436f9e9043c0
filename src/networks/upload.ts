import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { rowOf } from './failures/rules.ts'
import { NetworkError, refusal } from './network.ts'

export interface Uploaded {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/**
 * Sends bytes as they are read, with their length said before; never more than a buffer of them is held. No redirect, no second
 * try. Rejects when the connection fails or the time limit passes.
 */
export async function upload(
  url: string,
  {
    method,
    headers,
    size,
    bytes,
    limit,
  }: { method: 'PUT' | 'POST'; headers: Record<string, string>; size: number; bytes: Readable; limit: number },
): Promise<Uploaded> {
  const send = url.startsWith('https:') ? secure : plain
  const call = send(url, {
    method,
    headers: { ...headers, 'content-length': String(size) },
    signal: AbortSignal.timeout(limit),
  })
  const answered = new Promise<Uploaded>((resolve, reject) => {
    call.on('error', reject)
    call.on('response', (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      )
    })
  })
  // An answer before the end of the bytes counts: the network may refuse them while they come.
  pipeline(bytes, call).catch((error: unknown) => call.destroy(error instanceof Error ? error : undefined))
  return answered
}

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

/** A call without an answer: unless no byte can have left, it may have had its effect. */
export const lost = (error: unknown): NetworkError =>
  refusal({ ...rowOf('line', causeCode(error)), failure: 'transient' }, 'The network did not answer.', { cause: error })

function causeCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
    if (cause.name === 'TimeoutError') return 'TIMEOUT'
  }
  return 'UNKNOWN'
}
