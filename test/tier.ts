/** Whether this run has the long sizes (`npm run test:long`). */
export const long = process.env['PARLEY_LONG'] === '1'

/** A size of a test: the smallest that still fails without its guarantee, or the long one. */
export const sized = <T>(usual: T, whenLong: T): T => (long ? whenLong : usual)

/** The ways in which a test goes: of an English desktop and an Arabic phone the one that is named, and each of them in a long run. */
export const inWay = <T>(usual: number, ways: readonly T[]): readonly T[] =>
  long ? ways : ways.slice(usual, usual + 1)
