import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { rowOf } from './failures/rules.ts'
import { NetworkError, type Permit, refusal } from './network.ts'
import { lost, retryAfterOf, upload, type Uploaded } from './upload.ts'

// The Graph API, shared by NET_PAGE and NET_PHOTO: one way to call, one reading of its errors.

const CALL_LIMIT = 45_000
const COMMIT_LIMIT = 120_000
/** Of one piece of a file; larger ones have the time that this many bytes a second take. */
const UPLOAD_LIMIT = 45_000
const SLOWEST = 500_000

export interface GraphSettings {
  /** Without a slash at the end; the version follows. */
  graphUrl: () => string
  version: string
  appSecret: string
  /** Divides the time limits, in tests. */
  timeScale: number
}

export interface GraphCall<T> {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  token?: string
  /** Into the query of a GET, else the body. Nothing secret: the token travels in the header. */
  params?: Record<string, unknown>
  answer: z.ZodType<T>
  permit: Permit
  /** The irreversible call: waits longer, and a lost answer may have had its effect. */
  commit?: true
}

export interface GraphUpload<T> {
  url: string
  headers: Record<string, string>
  /** What comes before and after the bytes, for a form. */
  head?: string
  tail?: string
  bytes: Readable
  size: number
  answer: z.ZodType<T>
  permit: Permit
}

const GraphError = z.object({
  error: z.looseObject({
    message: z.string().default(''),
    code: z.coerce.number(),
    error_subcode: z.coerce.number().optional(),
    error_user_msg: z.string().optional(),
    error_data: z.unknown().optional(),
    fbtrace_id: z.string().optional(),
  }),
})

function readError(status: number, body: unknown, regainMs: number | undefined): NetworkError | undefined {
  const parsed = GraphError.safeParse(body)
  if (!parsed.success) return undefined
  const { error } = parsed.data
  const subcode = error.error_subcode ? String(error.error_subcode) : null
  const row = rowOf('graph', String(error.code), subcode)
  return refusal({ ...row, code: String(error.code), subcode }, error.error_user_msg ?? error.message, {
    // This network's own failures come with any status; one of the server is never a refusal for certain.
    ...(status >= 500 && { committed: 'maybe' }),
    data: error.error_data,
    ...(regainMs !== undefined && { retryAfterMs: regainMs }),
    ...(error.fbtrace_id && { traceId: error.fbtrace_id }),
  })
}

/** The way to call the Graph API. */
export type Graph = ReturnType<typeof createGraph>

/** Calls the Graph API: one permit each, no redirect, no retry. Throws NetworkError alone. */
export function createGraph({ graphUrl, version, appSecret, timeScale }: GraphSettings) {
  /** Sends bytes of a file with the given headers and form around them. */
  async function send<T>({
    url,
    headers,
    head = '',
    tail = '',
    bytes,
    size,
    answer,
    permit,
  }: GraphUpload<T>): Promise<T> {
    permit.take()
    let sent: Uploaded
    try {
      const length = Buffer.byteLength(head) + size + Buffer.byteLength(tail)
      const body = Readable.from(around(head, bytes, tail))
      sent = await upload(url, {
        method: 'POST',
        headers,
        size: length,
        bytes: body,
        limit: Math.round(Math.max(UPLOAD_LIMIT / timeScale, (size / SLOWEST) * 1000)),
      })
    } catch (error) {
      throw lost(error)
    }
    return readBody(sent.status, sent.body, undefined, answer)
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
    permit,
    commit,
  }: GraphCall<T>): Promise<T & { at: Date }> {
    permit.take()
    const fields = { ...params, ...(token && { appsecret_proof: proof(token) }) }
    const url = new URL(`${graphUrl()}/${version}${path}`)
    if (method !== 'POST') for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, asText(value))
    let response: Response
    let text: string
    try {
      response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout((commit ? COMMIT_LIMIT : CALL_LIMIT) / timeScale),
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(method === 'POST' && { 'content-type': 'application/json' }),
        },
        ...(method === 'POST' && { body: JSON.stringify(fields) }),
      })
      text = await response.text()
    } catch (error) {
      throw lost(error)
    }
    const body = readBody(
      response.status,
      text,
      readUsage(response.headers, permit) ?? retryAfterOf(response.headers),
      answer,
    )
    return { ...body, at: new Date(response.headers.get('date') ?? Date.now()) }
  }

  return { call, send }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function* around(head: string, bytes: Readable, tail: string) {
  yield Buffer.from(head)
  yield* bytes
  yield Buffer.from(tail)
}

/** An answer by its schema; throws the error that it tells, or that it cannot be read. */
function readBody<T>(status: number, text: string, regainMs: number | undefined, answer: z.ZodType<T>): T {
  const body = parseJson(text)
  const error = readError(status, body, regainMs)
  if (error) throw error
  const parsed = status < 300 ? answer.safeParse(body) : undefined
  if (parsed?.success) return parsed.data
  throw new NetworkError(status >= 500 ? 'transient' : 'ambiguous', 'The network answered what cannot be read.', {
    committed: 'maybe',
    networkCode: `http ${status}`,
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON: read as an answer that cannot be understood
  }
}

const Usage = z.looseObject({
  call_count: z.number().default(0),
  total_time: z.number().default(0),
  total_cputime: z.number().default(0),
  estimated_time_to_regain_access: z.number().optional(),
})
const BusinessUsage = z.record(z.string(), z.array(Usage))

/** Tells the permit the highest of the percentages in the usage headers; answers how long a block lasts, if it says so. */
function readUsage(headers: Headers, permit: Permit): number | undefined {
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
  permit.report({ percent, ...(regainMs !== undefined && { regainMs }) })
  return regainMs
}

// ---- reading posts back

/** Networks' clocks differ from ours by this much at most, in milliseconds. */
const SKEW = 120_000

/** From when on a post may be ours, by the network's clock: where that is behind ours, by so much earlier. */
export const windowFrom = (since: Date, now: Date, networkNow: Date) =>
  since.getTime() - SKEW + Math.min(0, networkNow.getTime() - now.getTime())

/** A time as the network writes it, with a zone without a colon, in milliseconds. An unreadable one has proven nothing. */
export function timeOf(text: string): number {
  const time = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (Number.isNaN(time)) throw new NetworkError('ambiguous', 'A post without a readable time.', { committed: 'maybe' })
  return time
}

/** Networks keep words, not always the white space between them. */
const normalised = (text: string) => text.replaceAll(/\s+/g, ' ').trim().normalize('NFC')

/** Whether two texts are the same to a network. */
export const sameText = (a: string, b: string) => normalised(a) === normalised(b)
