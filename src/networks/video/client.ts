import * as z from 'zod'
import { FORM, type OnceAnswer, type OnceRequest, sendOnce } from '../../core/platform/send-once.ts'
import { isRefusal, lost, NetworkError, refusal, retryAfterOf, unlessLimit, unreadable } from '../answers.ts'
import { createNetworkClock } from '../clock.ts'
import { rowOf } from '../failures/rules.ts'
import type { Reservation } from '../reservation.ts'

// The API of the video network: one way to call it and to read its errors.

export const CALL_LIMIT = 45_000
export const COMMIT_LIMIT = 120_000
const DAY = 86_400_000

export interface ClientSettings {
  clientKey?: string | undefined
  clientSecret?: string | undefined
  /** Without a trailing slash. */
  apiUrl: () => string
  /** Divides the time limits in tests. */
  timeScale: number
}

const Envelope = z.looseObject({
  data: z.unknown(),
  error: z.looseObject({ code: z.string(), message: z.string().default(''), log_id: z.string().optional() }),
})
/** The network's own errors have a log id; those of proxies do not. */
const OwnEnvelope = Envelope.extend({ error: Envelope.shape.error.required({ log_id: true }) })

/** One call. `commit`: it cannot be undone, so only a clear answer counts. */
export interface VideoRequest<T> {
  path: string
  token: string
  /** Without a body, the call is a GET. */
  body?: object
  answer: z.ZodType<T>
  reservation: Reservation
  commit?: boolean
}

export type VideoClient = ReturnType<typeof videoClient>

export function videoClient({ clientKey = '', clientSecret = '', apiUrl, timeScale }: ClientSettings) {
  const clock = createNetworkClock()

  async function send(
    url: string,
    request: Omit<OnceRequest, 'signal'>,
    limit = CALL_LIMIT / timeScale,
  ): Promise<OnceAnswer> {
    try {
      const answer = await sendOnce(url, { ...request, signal: AbortSignal.timeout(limit) })
      clock.saw(answer.headers)
      return answer
    } catch (error) {
      throw lost(error)
    }
  }

  async function call<T>({
    path,
    token,
    body,
    answer,
    reservation,
    commit = false,
  }: VideoRequest<T>): Promise<T & { at: Date | null }> {
    reservation.take()
    const request = {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json; charset=UTF-8' }),
      },
      body: body && JSON.stringify(body),
    }
    const {
      status,
      headers,
      body: text,
    } = await send(apiUrl() + path, request, (commit ? COMMIT_LIMIT : CALL_LIMIT) / timeScale)
    const found = parseJson(text)
    const wait = retryAfterOf(headers)
    const refused = unlessLimit(status, commit, refusalOf(status, found, wait, commit))
    if (refused) throw refused
    const envelope = Envelope.safeParse(found)
    const parsed = envelope.data?.error.code === 'ok' ? answer.safeParse(envelope.data.data) : undefined
    if (status >= 300 || !parsed?.success) throw unreadable(status, wait)
    return { ...parsed.data, at: clock.saw(headers) }
  }

  const form = (path: string, fields: Record<string, string>) =>
    send(apiUrl() + path, {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: new URLSearchParams({ client_key: clientKey, client_secret: clientSecret, ...fields }).toString(),
    })

  return { clock, send, call, form }
}

/** Returns the refusal in the network's envelope; undefined if the answer has none. */
export function refusalOf(
  status: number,
  found: unknown,
  retryAfterMs: number | undefined,
  commit: boolean,
): NetworkError | undefined {
  const envelope = (commit ? OwnEnvelope : Envelope).safeParse(found)
  if (!envelope.success || envelope.data.error.code === 'ok') return undefined
  const { code, message, log_id: traceId } = envelope.data.error
  const row = rowOf('video', code)
  if (commit && !isRefusal(status, code, row)) return undefined
  return refusal(row, message, {
    ...(status >= 500 && { committed: 'maybe' }),
    ...(code === 'spam_risk_too_many_posts' && { retryAfterMs: DAY / 4 }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(traceId && { traceId }),
  })
}

/** Parses JSON. Integers beyond the safe range of JavaScript become strings with the same digits. */
export function parseJson(text: string): unknown {
  const safe = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+])-?\d{16,}(?=\s*[,\]}])/g, (part) =>
    part.startsWith('"') ? part : `"${part}"`,
  )
  try {
    return JSON.parse(safe)
  } catch {
    return undefined // not JSON: treated as unreadable
  }
}
