import { NETWORK_CLOCK_SKEW } from './rules.ts'

/** A network's own clock, as known from its answers. */
export interface NetworkClock {
  /** Records the `Date` of an answer and returns it. Null if it is missing or unusable. */
  saw(headers: Headers): Date | null
  /**
   * A time that the network's clock has certainly passed: the latest `Date` seen, plus the time that has passed here
   * since. Null before the first answer.
   */
  now(): Date | null
}

/** The start of the year 10000. PostgreSQL cannot parse a later time as JavaScript formats it. */
const FAR = Date.UTC(10_000, 0)

export function createNetworkClock(): NetworkClock {
  let seen: { date: number; at: number } | undefined
  const now = () => (seen ? seen.date + (performance.now() - seen.at) : -Infinity)
  return {
    saw(headers) {
      const date = Date.parse(headers.get('date') ?? '')
      if (!(date >= 0 && date < FAR)) return null
      if (!seen || date > now()) seen = { date, at: performance.now() }
      return new Date(date)
    },
    now: () => (seen ? new Date(Math.floor(now())) : null),
  }
}

/**
 * The times that decide from when on a post may be ours. `ours` and `now` are by our clock, the others by the
 * network's.
 */
export interface Since {
  /** The time just before the first try; null if the network had not answered by then. */
  at: Date | null
  /** The latest time that the network has reported since. */
  seen: Date | null
  /** The times of the first try and of this read, by our clock. */
  ours: Date
  now: Date
}

/**
 * Returns the earliest time at which a post may be ours, in milliseconds by the network's clock. Either clock may have
 * been moved in between, so the earlier of two results counts: one uses the network's times alone, the other our times
 * with the difference that this read shows. A detected step of either clock widens the window; none ever narrows it.
 */
export function windowFrom({ at, seen, ours, now }: Since, networkNow: Date | null): number {
  const read = networkNow?.getTime() ?? now.getTime()
  const byOurs = ours.getTime() + Math.min(0, read - now.getTime())
  if (!at) return Math.min(byOurs, byOurs - UNKNOWN) - NETWORK_CLOCK_SKEW
  const expected = at.getTime() + (now.getTime() - ours.getTime())
  const behind = Math.max(0, (seen?.getTime() ?? -Infinity) - read, expected - read)
  return Math.min(byOurs, at.getTime() - behind) - NETWORK_CLOCK_SKEW
}

/**
 * How much further to look back if the network had not reported its time before the try, in milliseconds. Our clock may
 * be this wrong.
 */
const UNKNOWN = 24 * 3_600_000
