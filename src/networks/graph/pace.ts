import { setTimeout as sleep } from 'node:timers/promises'

/** Above this number of accounts, past turns are forgotten. */
const KEPT = 1_000

/** By the monotonic clock, so that a clock that is set back makes no call wait. */
const timer = { now: () => performance.now(), wait: (milliseconds: number): Promise<unknown> => sleep(milliseconds) }

/** Returns a function that spaces the calls of each account at least `pause` milliseconds apart, in this process. */
export function createPace(pause: number, { now: read, wait } = timer): (account: string) => Promise<void> {
  const next = new Map<string, number>()
  return async (account) => {
    const now = read()
    const at = Math.max(now, next.get(account) ?? 0)
    if (next.size >= KEPT) for (const [each, turn] of next) if (turn <= now) next.delete(each)
    next.set(account, at + pause)
    // Timers drop the fraction of a millisecond.
    if (at > now) await wait(Math.ceil(at - now))
  }
}
