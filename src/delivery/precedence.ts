import { setTimeout as sleep } from 'node:timers/promises'

/** Gives the deliveries of this process precedence over work that can wait. */
export interface Precedence {
  /** Marks a delivery as under way until the returned function is called. */
  begin(): () => void
  /** Waits until no delivery is under way, for at most `LONGEST`: other work continues even if deliveries never end. */
  wait(): Promise<void>
}

/**
 * Other work starts after this many milliseconds without a delivery. Deliveries that are due together have shorter
 * gaps.
 */
const CALM = 500
/** The longest wait, in milliseconds. */
const LONGEST = 15_000

export function createPrecedence(timeScale: number): Precedence {
  let running = 0
  let endedAt = -Infinity
  return {
    begin() {
      running += 1
      return () => {
        running -= 1
        endedAt = performance.now()
      }
    },
    async wait() {
      const calm = CALM / timeScale
      const until = performance.now() + LONGEST / timeScale
      for (;;) {
        const now = performance.now()
        const left = running > 0 ? calm : endedAt + calm - now
        if (left <= 0 || now >= until) return
        await sleep(Math.min(left, until - now))
      }
    },
  }
}
