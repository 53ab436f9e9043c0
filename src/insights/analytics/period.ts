import { type Fault, invalid } from '../../core/errors.ts'
import type { Period } from './api.ts'
import { lengthOf, type Span } from './rules.ts'

/** The longest period in days. */
const LONGEST = 366
const EARLIEST = '2000-01-01'
const LATEST = '2200-01-01'

/** Returns what is wrong with the days of a period. `at` is its path in the request. */
export function periodFaults({ from, to }: Span, at = ''): Fault[] {
  if (from >= to) return [{ path: `${at}/from`, code: 'after_end', message: 'The start must be before the end.' }]
  if (from < EARLIEST || to > LATEST) {
    const path = `${at}/${from < EARLIEST ? 'from' : 'to'}`
    return [{ path, code: 'out_of_range', message: `Must be between ${EARLIEST} and ${LATEST}.` }]
  }
  if (lengthOf({ from, to }) <= LONGEST) return []
  const message = `The period is longer than ${LONGEST} days. Choose a shorter one.`
  return [{ path: `${at}/from`, code: 'too_long', message, limit: LONGEST }]
}

/** Checks the days of a period and returns them. Throws `validation_failed`. */
export function checkPeriod({ from, to }: Pick<Period, 'from' | 'to'>): Span {
  const faults = periodFaults({ from, to })
  if (faults.length > 0) throw invalid(...faults)
  return { from, to }
}
