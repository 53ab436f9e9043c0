/** The database's time as this process knows it. All processes and statements use this one clock. */
export interface Clock {
  now(): Date
  /**
   * Sets the time that the database's clock (`app_now()`) reported. `asked`: when that time was requested, by
   * `performance.now()`. Returns whether the database's clock was moved since the last call.
   */
  sync(databaseNow: Date, asked?: number): boolean
  /**
   * The time since which the database's clock was not moved, by that clock. Never earlier than the first reading of
   * this process.
   */
  steadySince(): Date
  /** The milliseconds by which `app_now()` is ahead of its machine's clock. 0 in production: only the sandbox moves it. */
  shift: number
}

/** Milliseconds. A smaller difference comes from the round trip to the database. */
const NOISE = 20
/** A clock that differs from ours by less was not moved: milliseconds, plus a share of the time that has passed. */
const STEP = 1_000
const DRIFT = 0.02
/** Milliseconds after which the comparison of the clocks starts again, so that a slow drift does not count as a step. */
const ANCHOR = 60_000

/**
 * Between two answers of the database, the time follows the process's monotonic clock, so moving this machine's clock
 * changes nothing.
 */
export function createClock(): Clock {
  let offset = Date.now() - performance.now()
  let steady: Date | undefined
  let anchor: { least: number; most: number; at: number } | undefined

  return {
    now: () => new Date(performance.now() + offset),
    sync(databaseNow, asked = performance.now()) {
      const at = performance.now()
      const least = databaseNow.getTime() - at
      const most = databaseNow.getTime() - asked
      if (Math.abs(least - offset) > NOISE) offset = least
      const slack = anchor ? STEP + (at - anchor.at) * DRIFT : 0
      const stepped = anchor !== undefined && (least > anchor.most + slack || most < anchor.least - slack)
      if (!steady || stepped) steady = databaseNow
      if (!anchor || stepped || at - anchor.at >= ANCHOR) anchor = { least, most, at }
      return stepped
    },
    shift: 0,
    steadySince: () => (steady ??= new Date(performance.now() + offset)),
  }
}
