import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'

// The only way to make a call that has an effect. `fetch` repeats a POST after status 421, and when a kept connection
// turns out to be closed. A call that publishes, pays or exchanges a token must be sent at most once.

export interface OnceRequest {
  method: string
  headers?: Readonly<Record<string, string>>
  /** Text, or bytes that are sent while they are read, after their length. */
  body?: string | { size: number; bytes: Readable } | undefined
  signal: AbortSignal
}

export interface OnceAnswer {
  status: number
  headers: Headers
  body: string
}

/**
 * A request without a complete answer. `left` is false when the connection never opened, which proves that nothing was sent.
 */
export class UnansweredRequest extends Error {
  readonly left: boolean
  readonly code: string

  constructor(left: boolean, cause: unknown) {
    super('The request received no complete response.', { cause })
    this.name = 'UnansweredRequest'
    this.left = left
    this.code = codeOf(cause)
  }
}

/** Milliseconds for reading an answer from a connection that accepts no more bytes. */
const LAST_READ = 1_000
/** In bytes. No API returns more, and a broken one must not fill the memory. */
const LARGEST_ANSWER = 16 * 1024 * 1024

/**
 * Sends one request over its own connection and reads the whole answer. Follows no redirect, repeats nothing and
 * ignores interim (1xx) answers. Throws `UnansweredRequest` when the connection fails, the answer breaks off or the
 * signal aborts.
 */
export async function sendOnce(url: string | URL, request: OnceRequest): Promise<OnceAnswer> {
  const answer = await open(new URL(url), request)
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > LARGEST_ANSWER) throw new Error('The response is too large.')
      pieces.push(piece)
    }
  } catch (error) {
    throw new UnansweredRequest(true, request.signal.aborted ? request.signal.reason : error)
  }
  return { status: answer.statusCode ?? 0, headers: headersOf(answer), body: Buffer.concat(pieces).toString('utf8') }
}

/** `sendOnce` with the signature of `fetch`, for libraries that take one: text bodies only, the answer as a stream. */
export async function fetchOnce(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  if (url instanceof Request) throw new TypeError('fetchOnce takes a URL, not a Request.')
  const body: unknown = init.body ?? undefined
  if (body !== undefined && typeof body !== 'string' && !(body instanceof URLSearchParams)) {
    throw new TypeError('fetchOnce sends only text.')
  }
  const headers = new Headers(init.headers)
  if (body instanceof URLSearchParams && !headers.has('content-type')) headers.set('content-type', FORM)
  const signal = init.signal ?? new AbortController().signal
  try {
    const answer = await open(new URL(url), {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(headers),
      body: body?.toString(),
      signal,
    })
    const status = answer.statusCode ?? 0
    const empty = status === 204 || status === 205 || status === 304
    if (empty) answer.resume()
    return new Response(empty ? null : (ReadableStream.from(answer) as BodyInit), {
      status,
      headers: headersOf(answer),
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error
  }
}

export const FORM = 'application/x-www-form-urlencoded;charset=UTF-8'

function open(url: URL, { method, headers = {}, body, signal }: OnceRequest): Promise<IncomingMessage> {
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body?.size
  let left = false
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(new UnansweredRequest(left, signal.aborted ? signal.reason : error))
    if (signal.aborted) return fail(signal.reason)
    const call = (url.protocol === 'https:' ? secure : plain)(url, {
      method,
      // A separate connection, closed after the answer, so that it carries nothing of another call.
      agent: false,
      signal,
      headers: { ...headers, ...(size !== undefined && { 'content-length': String(size) }) },
    })
    let answer: IncomingMessage | undefined
    let broken: Error | undefined
    call.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (left = true))
      delayWriteFailure(socket, (error) => {
        broken = error
        return left && (!answer || hasOwnEnd(answer))
      })
    })
    call.on('error', fail)
    call.on('response', (response) => {
      answer = response
      if (!broken || hasOwnEnd(response)) return resolve(response)
      fail(broken)
      call.destroy()
    })
    // We requested no other protocol, so the effect of the request is unknown.
    call.on('upgrade', (_, socket) => {
      socket.destroy()
      fail(new Error('The server switched protocols.'))
    })
    if (body === undefined || typeof body === 'string') call.end(body)
    // An answer that comes before all bytes are sent counts: the network may refuse them early.
    else pipeline(body.bytes, call).catch((error: unknown) => call.destroy(error instanceof Error ? error : undefined))
  })
}

/**
 * Reports a failed write only after everything that has arrived is read. A server that refuses early answers and closes
 * while bytes are still being sent. The next write then fails, and Node destroys a socket at its first failure, along
 * with an unread answer. After the failure, nothing more is written. `mayWait` decides whether the failure waits.
 */
function delayWriteFailure(socket: Socket, mayWait: (error: Error) => boolean): void {
  type Done = (error?: Error | null) => void
  const late =
    (done: Done): Done =>
    (error) => {
      if (!error || !mayWait(error)) return done(error)
      // The immediate runs after the socket was read, even if the process was busy for longer than the limit.
      const timer = setTimeout(() => setImmediate(() => socket.destroyed || done(error)), LAST_READ)
      socket.once('close', () => clearTimeout(timer))
    }
  const write = socket._write.bind(socket)
  socket._write = (chunk, encoding, done) => write(chunk, encoding, late(done))
  const writev = socket._writev?.bind(socket)
  if (writev) socket._writev = (chunks, done) => writev(chunks, late(done))
}

/** Whether an answer marks its own end. An answer that ends with its connection may have been cut off. */
const hasOwnEnd = ({ headers, statusCode }: IncomingMessage) =>
  headers['content-length'] !== undefined ||
  headers['transfer-encoding'] !== undefined ||
  statusCode === 204 ||
  statusCode === 304

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    try {
      headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
    } catch {
      // Skips an unreadable header.
    }
  }
  return headers
}

function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return 'TIMEOUT'
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return 'UNKNOWN'
}
