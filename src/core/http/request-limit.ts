import { LRUCache } from 'lru-cache'
import type { FastifyReply } from 'fastify'
import { AppError } from '../errors.ts'
import { query } from '../platform/db.ts'
import type { Scopes } from '../platform/scope.ts'

const SECONDS = 60
/** A process reserves requests from the shared window in portions of a twentieth of the limit, with one write each. */
const PORTION = 0.05
const CALLERS = 20_000

interface Window {
  endsAt: number
  /** The requests of this process's reservation that are left. */
  left: number
  /** The requests that were unreserved at the time of the reservation. */
  free: number
}

/**
 * Admits at most `limit` requests per caller and minute across all processes. It never admits more; with several
 * processes, each may leave up to a portion unused. Counts one request and reports the state in `RateLimit` headers.
 * Throws `rate_limited`.
 */
export function createRequestLimit(scopes: Pick<Scopes, 'ask'>, limit: number, now: () => Date) {
  const portion = Math.max(1, Math.ceil(limit * PORTION))
  const windows = new LRUCache<string, Window>({ max: CALLERS })
  const taking = new Map<string, Promise<Window>>()

  async function take(caller: string): Promise<Window> {
    const at = now()
    const endsAt = new Date(at.getTime() + SECONDS * 1000)
    const [row] = await scopes.ask(
      'limit',
      query<{ taken: number; endsAt: Date }>`
        with old as (delete from request_window where key in (select key from request_window
          where ends_at < ${at} and key <> ${caller} limit 2 for update skip locked))
        insert into request_window as w (key, taken, ends_at) values (${caller}, ${portion}, ${endsAt})
        on conflict (key) do update set
          taken = case when w.ends_at <= ${at} then excluded.taken else w.taken + excluded.taken end,
          ends_at = case when w.ends_at <= ${at} then excluded.ends_at else w.ends_at end
        returning taken, ends_at`,
      { relaxed: true },
    )
    const taken = row?.taken ?? portion
    const window = {
      endsAt: (row?.endsAt ?? endsAt).getTime(),
      left: Math.min(portion, Math.max(0, limit - (taken - portion))),
      free: Math.max(0, limit - taken),
    }
    windows.set(caller, window)
    return window
  }

  return async (caller: string, reply: FastifyReply): Promise<void> => {
    const at = now().getTime()
    let window = windows.get(caller)
    // A window with nothing left and nothing free refuses until its end.
    while (!window || window.endsAt <= at || (window.left === 0 && window.free > 0)) {
      let pending = taking.get(caller)
      if (!pending) {
        pending = take(caller).finally(() => taking.delete(caller))
        taking.set(caller, pending)
      }
      window = await pending
    }
    const refused = window.left === 0
    if (!refused) window.left -= 1
    const seconds = Math.min(SECONDS, Math.max(1, Math.ceil((window.endsAt - at) / 1000)))
    reply.header('ratelimit-policy', `"requests";q=${limit};w=${SECONDS}`)
    reply.header('ratelimit', `"requests";r=${window.left + window.free};t=${seconds}`)
    if (refused)
      throw new AppError('rate_limited', 'Too many requests in this minute. Retry after the time in Retry-After.', {
        retryAfter: seconds,
      })
  }
}
