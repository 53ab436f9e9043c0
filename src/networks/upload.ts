import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'

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
