/** The database's time as this process knows it: every process and every statement go by one clock. */
export interface Clock {
  now(): Date
  /** Tells what the database's clock (`app_now()`) said just now. */
  sync(databaseNow: Date): void
}

/** A difference below this is the way to the database and back. */
const NOISE = 20

export function createClock(): Clock {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    sync(databaseNow) {
      const difference = databaseNow.getTime() - Date.now()
      if (Math.abs(difference - offset) > NOISE) offset = difference
    },
  }
}
