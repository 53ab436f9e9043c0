import type { Platform } from '../../../../src/networks/api.ts'
import type { Status } from '../../../../src/publishing/posts/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'

// Separate from the code that applies filters: every screen loads the routes, which use this.

/** Not a status of the service: a draft with a pending request. */
export const IN_REVIEW = 'IN_REVIEW'

const STATUSES: ReadonlySet<string> = new Set([
  IN_REVIEW,
  'DRAFT',
  'SCHEDULED',
  'PUBLISHING',
  'PUBLISHED',
  'PARTIALLY_PUBLISHED',
  'FAILED',
] satisfies (Status | typeof IN_REVIEW)[])

/** The filters of the list and the calendar in the address. */
export interface Filter {
  status?: string
  net?: Platform
  account?: string
  /** Comma-separated label ids. Matches posts with any of them. */
  label?: string
  q?: string
}

const ID = /^[0-9a-f-]{36}$/

/** Reads the filters from an address and ignores anything else. */
export function readFilter({ status, net, account, label, q }: Record<string, unknown>): Filter {
  const platform = PLATFORM_ORDER.find((one) => one === net)
  return {
    ...(typeof status === 'string' && status.split(',').every((one) => STATUSES.has(one)) ? { status } : {}),
    ...(platform ? { net: platform } : {}),
    ...(typeof account === 'string' && ID.test(account) ? { account } : {}),
    ...(typeof label === 'string' && label.split(',').every((one) => ID.test(one)) ? { label } : {}),
    ...(q ? { q: String(q).slice(0, 200) } : {}),
  }
}
