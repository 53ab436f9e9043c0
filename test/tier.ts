/** Whether this run uses the long sizes (`npm run test:long`). */
export const long = process.env['PARLEY_LONG'] === '1'

/** Returns the size of a test: the smallest that fails without the tested guarantee, or the long one. */
export const sized = <T>(usual: T, whenLong: T): T => (long ? whenLong : usual)

/**
 * Returns the ways in which a test runs. A usual run takes one, by index (English desktop or Arabic phone), and a long
 * run takes all.
 */
export const inWay = <T>(usual: number, ways: readonly T[]): readonly T[] =>
  long ? ways : ways.slice(usual, usual + 1)
