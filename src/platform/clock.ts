/** The time of the product: the real one plus the shift of the database's clock, which only tests set. */
export interface Clock {
  now(): Date
  shift(milliseconds: number): void
}

export function createClock(): Clock {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    shift: (milliseconds) => {
      offset = milliseconds
    },
  }
}
