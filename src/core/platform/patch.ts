import { isDeepStrictEqual } from 'node:util'
import type { Fault } from '../errors.ts'

/** The fields of a PATCH that may not be written and differ from what is: sent back unchanged they are ignored. */
export function readOnlyFaults(patch: object, current: object, writable: readonly string[]): Fault[] {
  const now = current as Record<string, unknown>
  return Object.entries(patch)
    .filter(([key, value]) => value !== undefined && !writable.includes(key) && !isDeepStrictEqual(value, now[key]))
    .map(([key]) => ({ path: `/${key}`, code: 'read_only', message: `${key} cannot be changed.` }))
}
