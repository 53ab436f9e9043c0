import { isDeepStrictEqual } from 'node:util'
import { AppError, type Fault } from '../errors.ts'

/** Faults for the read-only fields of a PATCH that differ from the present values. Unchanged ones are ignored. */
export function readOnlyFaults(patch: object, current: object, writable: readonly string[]): Fault[] {
  const now = current as Record<string, unknown>
  return Object.entries(patch)
    .filter(([key, value]) => value !== undefined && !writable.includes(key) && !isDeepStrictEqual(value, now[key]))
    .map(([key]) => ({ path: `/${key}`, code: 'read_only', message: `${key} is read-only.` }))
}

/**
 * Throws `stale_version` if a change was made on another version (`If-Match`). The statement that writes checks the
 * version too.
 */
export function refuseStale(version: number, ifMatch: number | undefined): void {
  if (ifMatch !== undefined && ifMatch !== version) throw new AppError('stale_version', undefined, { current: version })
}
