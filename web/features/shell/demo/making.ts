import { isAway } from '../../../problem-error.ts'

/**
 * Makes a part of the demo, unless it is made or being made, and returns it. `key` is an `Idempotency-Key`. If `make`
 * got no answer, the next try has the same key, so that the service makes the part once.
 */
export type MakeOnce = <T>(part: string, make: (key: string) => Promise<T>) => Promise<T>

/** What a demo has made so far, so that it goes on after a failure and makes nothing twice. */
export interface Making {
  once: MakeOnce
  /** The workspace, from the moment that it exists. */
  ws: string | null
}

export function createMaking(): Making {
  const parts = new Map<string, Promise<unknown>>()
  const keys = new Map<string, string>()
  return {
    ws: null,
    once<T>(part: string, make: (key: string) => Promise<T>): Promise<T> {
      const known = parts.get(part)
      if (known) return known as Promise<T>
      const key = keys.get(part) ?? crypto.randomUUID()
      keys.set(part, key)
      const made = make(key).catch((error: unknown) => {
        parts.delete(part)
        // The service repeats its answer to a key, also if it was a refusal.
        if (!isAway(error)) keys.delete(part)
        throw error
      })
      parts.set(part, made)
      return made
    },
  }
}
