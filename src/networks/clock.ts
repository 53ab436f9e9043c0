/** A network's own clock, as its answers tell it. */
export interface NetworkClock {
  /** Notes the `Date` of an answer and returns it; null when it is missing or unusable. */
  saw(headers: Headers): Date | null
  /**
   * A time that the network's clock has certainly passed: the largest `Date` seen, plus the time that has passed here since.
   * Null before the first answer.
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

/** The times that bound when a post may be ours. `ours` and `now` are of our clock, the others of the network's. */
export interface Since {
  /** The time just before the first try; null if no answer of the network was known by then. */
  at: Date | null
  /** The largest time that the network has reported since. */
  seen: Date | null
  /** The first try, and this read, by our clock. */
  ours: Date
  now: Date
}

/** Two machines of one network differ by this much at most, in milliseconds. */
const SKEW = 120_000

/**
 * The earliest time at which a post may be ours, in milliseconds of the network's clock. Both clocks may have been moved in
 * between, so the earlier of two results counts: one by the network's own times alone, one by our times with the difference
 * that this read shows. A detected step of either clock opens the window further; none ever closes it.
 */
export function windowFrom({ at, seen, ours, now }: Since, networkNow: Date | null): number {
  const read = networkNow?.getTime() ?? now.getTime()
  const byOurs = ours.getTime() + Math.min(0, read - now.getTime())
  if (!at) return Math.min(byOurs, byOurs - UNKNOWN) - SKEW
  const expected = at.getTime() + (now.getTime() - ours.getTime())
  const behind = Math.max(0, (seen?.getTime() ?? -Infinity) - read, expected - read)
  return Math.min(byOurs, at.getTime() - behind) - SKEW
}

/** Milliseconds to look further back if the network had not told its time before the try. Our clock may be this wrong. */
const UNKNOWN = 24 * 3_600_000
