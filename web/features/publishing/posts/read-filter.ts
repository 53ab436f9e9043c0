import type { Platform } from '../../../../src/networks/api.ts'
import type { Status } from '../../../../src/publishing/posts/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'

// Apart from what the screens do with a filter: every screen loads the routes, and these read it.

/** Not a status of the service: a draft whose request waits. */
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

/** The filters of list and calendar, from the address. */
export interface Filter {
  status?: string
  net?: Platform
  account?: string
  /** The ids of labels, with commas: posts with any of them. */
  label?: string
  q?: string
}

const ID = /^[0-9a-f-]{36}$/

/** The filter in an address; what is no filter is left out. */
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
