import { invalid } from '../../core/errors.ts'
import type { Period } from './api.ts'
import { lengthOf, type Span } from './rules.ts'

/** The longest period, in days. */
const LONGEST = 366
const EARLIEST = '2000-01-01'
const LATEST = '2200-01-01'

/** The days of a period. Throws `validation_failed`. */
export function checkPeriod({ from, to }: Pick<Period, 'from' | 'to'>): Span {
  if (from >= to) throw invalid({ path: '/from', code: 'after_end', message: 'It is not before the end.' })
  if (from < EARLIEST || to > LATEST) {
    const path = from < EARLIEST ? '/from' : '/to'
    throw invalid({ path, code: 'out_of_range', message: `It is not between ${EARLIEST} and ${LATEST}.` })
  }
  if (lengthOf({ from, to }) > LONGEST) {
    throw invalid({
      path: '/from',
      code: 'too_long',
      message: `The period is longer than ${LONGEST} days.`,
      limit: LONGEST,
    })
  }
  return { from, to }
}
