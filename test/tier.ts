/** Whether this run has the long sizes (`npm run test:long`). */
export const long = process.env['PARLEY_LONG'] === '1'

/** A size of a test: the smallest that still fails without its guarantee, or the long one. */
export const sized = <T>(usual: T, whenLong: T): T => (long ? whenLong : usual)
