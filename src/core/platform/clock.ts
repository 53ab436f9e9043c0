/** The database's time as this process knows it: every process and every statement go by one clock. */
export interface Clock {
  now(): Date
  /**
   * Tells what the database's clock (`app_now()`) said just now. `asked`: when it was asked, by `performance.now()`. Answers
   * whether that clock was moved since the last time.
   */
  sync(databaseNow: Date, asked?: number): boolean
  /** Since when, by the database's clock, nobody has moved it. Never earlier than this process began to look. */
  steadySince(): Date
}

/** A difference below this is the way to the database and back, in milliseconds. */
const NOISE = 20
/** A clock that runs within these bounds of ours was not moved: so many milliseconds, and so much of the time gone by. */
const STEP = 1_000
const DRIFT = 0.02
/** So often the two clocks are compared from where they are then: what drifts slowly is no step. */
const ANCHOR = 60_000

/** Goes by the process's monotonic clock between two answers of the database: a moved clock of this machine changes nothing. */
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
    steadySince: () => (steady ??= new Date(performance.now() + offset)),
  }
}
