import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { sendOnce } from '../../core/platform/send-once.ts'
import { isRefusal, lost, NetworkError, refusal, retryAfterOf, unlessLimit, unreadable } from '../answers.ts'
import { createNetworkClock } from '../clock.ts'
import { rowOf } from '../failures/rules.ts'
import { uploadLimit } from '../network.ts'
import type { Reservation } from '../reservation.ts'
import { createPace } from './pace.ts'

// The Graph API, which the page and the photo network share: one way to call it and to read its errors.

const CALL_LIMIT = 45_000
const COMMIT_LIMIT = 120_000
/** Milliseconds between reads of conversations. The network allows two a second. */
const READ_EVERY = 600

export interface GraphSettings {
  /** Without a trailing slash; the version follows. */
  graphUrl: () => string
  version: string
  appSecret: string
  /** Replaces the host of the addresses that the network names for uploads. */
  uploadUrl?: string | undefined
  /** Divides the time limits in tests. */
  timeScale: number
}

export interface GraphCall<T> {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  token?: string
  /** Sent in the query of a GET, else in the body. Contains no secrets: the token is sent in the header. */
  params?: Record<string, unknown>
  answer: z.ZodType<T>
  reservation: Reservation
  /** Marks the irreversible call. It has a longer time limit, and if its answer is lost, it may have had its effect. */
  commit?: true
}

export interface GraphUpload<T> {
  url: string
  headers: Record<string, string>
  /** The parts of the form before and after the bytes. */
  head?: string
  tail?: string
  bytes: Readable
  size: number
  answer: z.ZodType<T>
  reservation: Reservation
}

const GraphError = z.object({
  error: z.looseObject({
    message: z.string().default(''),
    code: z.coerce.number(),
    error_subcode: z.coerce.number().optional(),
    error_user_msg: z.string().optional(),
    error_data: z.unknown().optional(),
    type: z.string().optional(),
    fbtrace_id: z.string().optional(),
  }),
})
/** The network's own errors have a type and a trace id; those of proxies do not. */
const OwnError = z.object({ error: GraphError.shape.error.required({ type: true, fbtrace_id: true }) })

/** Returns the refusal in the network's own envelope; undefined if the answer has none. */
function readError(
  status: number,
  body: unknown,
  regainMs: number | undefined,
  commit: boolean,
): NetworkError | undefined {
  const parsed = (commit ? OwnError : GraphError).safeParse(body)
  if (!parsed.success) return undefined
  const { error } = parsed.data
  const subcode = error.error_subcode ? String(error.error_subcode) : null
  const row = rowOf('graph', String(error.code), subcode)
  if (commit && !isRefusal(status, error.code, row)) return undefined
  return refusal({ ...row, code: String(error.code), subcode }, error.error_user_msg ?? error.message, {
    // This network reports its own failures with any status. A server error is never a certain refusal.
    ...(status >= 500 && { committed: 'maybe' }),
    data: error.error_data,
    ...(regainMs !== undefined && { retryAfterMs: regainMs }),
    ...(error.fbtrace_id && { traceId: error.fbtrace_id }),
  })
}

/** The functions that call the Graph API. */
export type Graph = ReturnType<typeof createGraph>

/**
 * Calls the Graph API. Each call takes one from the reservation, follows no redirect and is never retried. Throws only
 * NetworkError.
 */
export function createGraph({ graphUrl, version, appSecret, timeScale }: GraphSettings) {
  const clock = createNetworkClock()

  /** Sends bytes of a file with the given headers and form around them. */
  async function send<T>({
    url,
    headers,
    head = '',
    tail = '',
    bytes,
    size,
    answer,
    reservation,
  }: GraphUpload<T>): Promise<T> {
    reservation.take()
    const length = Buffer.byteLength(head) + size + Buffer.byteLength(tail)
    const sent = await sendOnce(url, {
      method: 'POST',
      headers,
      body: { size: length, bytes: Readable.from(around(head, bytes, tail)) },
      signal: AbortSignal.timeout(uploadLimit(CALL_LIMIT, timeScale, size)),
    }).catch((error: unknown) => {
      throw lost(error)
    })
    clock.saw(sent.headers)
    return readBody(sent.status, sent.body, retryAfterOf(sent.headers), answer)
  }

  function proof(token: string): string {
    return createHmac('sha256', appSecret).update(token).digest('hex')
  }

  async function call<T>({
    method,
    path,
    token,
    params = {},
    answer,
    reservation,
    commit,
  }: GraphCall<T>): Promise<T & { at: Date | null }> {
    reservation.take()
    const fields = { ...params, ...(token && { appsecret_proof: proof(token) }) }
    const url = new URL(`${graphUrl()}/${version}${path}`)
    if (method !== 'POST') for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, asText(value))
    const response = await sendOnce(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      body: method === 'POST' ? JSON.stringify(fields) : undefined,
      signal: AbortSignal.timeout((commit ? COMMIT_LIMIT : CALL_LIMIT) / timeScale),
    }).catch((error: unknown) => {
      throw lost(error)
    })
    const at = clock.saw(response.headers)
    const wait = readUsage(response.headers, reservation) ?? retryAfterOf(response.headers)
    return { ...readBody(response.status, response.body, wait, answer, commit), at }
  }

  return { call, send, clock, pacedRead: createPace(READ_EVERY / timeScale) }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function* around(head: string, bytes: Readable, tail: string) {
  yield Buffer.from(head)
  yield* bytes
  yield Buffer.from(tail)
}

/** Parses an answer by its schema. Throws the error in the answer, or an error if the answer is unreadable. */
function readBody<T>(
  status: number,
  text: string,
  regainMs: number | undefined,
  answer: z.ZodType<T>,
  commit = false,
): T {
  const body = parseJson(text)
  const error = unlessLimit(status, commit, readError(status, body, regainMs, commit))
  if (error) throw error
  const parsed = status < 300 ? answer.safeParse(body) : undefined
  if (parsed?.success) return parsed.data
  throw unreadable(status, regainMs)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: treated as unreadable
  }
}

const Usage = z.looseObject({
  call_count: z.number().default(0),
  total_time: z.number().default(0),
  total_cputime: z.number().default(0),
  estimated_time_to_regain_access: z.number().optional(),
})
const BusinessUsage = z.record(z.string(), z.array(Usage))

/**
 * Reports the highest percentage in the usage headers to the reservation. Returns the duration of a block in
 * milliseconds, if the headers state one.
 */
function readUsage(headers: Headers, reservation: Reservation): number | undefined {
  const found = ['x-app-usage', 'x-page-usage'].flatMap((name) => {
    const parsed = Usage.safeParse(parseJson(headers.get(name) ?? ''))
    return parsed.success ? [parsed.data] : []
  })
  const business = BusinessUsage.safeParse(parseJson(headers.get('x-business-use-case-usage') ?? ''))
  if (business.success) found.push(...Object.values(business.data).flat())
  if (found.length === 0) return undefined
  const percent = Math.max(...found.map((usage) => Math.max(usage.call_count, usage.total_time, usage.total_cputime)))
  const minutes = Math.max(0, ...found.map((usage) => usage.estimated_time_to_regain_access ?? 0))
  const regainMs = minutes > 0 ? minutes * 60_000 : undefined
  reservation.report({ percent, ...(regainMs !== undefined && { regainMs }) })
  return regainMs
}

// ---- reading posts back

/**
 * Parses a time in the network's format, which has a zone without a colon, to milliseconds. Throws `NetworkError` for
 * an unreadable time, which proves nothing.
 */
export function timeOf(text: string): number {
  const time = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (Number.isNaN(time)) throw new NetworkError('ambiguous', 'A post has no readable time.', { committed: 'maybe' })
  return time
}
