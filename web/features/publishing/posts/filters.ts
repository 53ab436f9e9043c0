import type { Platform } from '../../../../src/networks/api.ts'
import type { Status } from '../../../../src/publishing/posts/api.ts'
import { PLATFORM_ORDER } from '../../../labels.ts'

/** Not a status of the service: a draft whose request waits. */
const IN_REVIEW = 'IN_REVIEW'

/** The filters of the list, as the address says them. */
export const FILTERS = {
  all: undefined,
  drafts: 'DRAFT',
  inReview: IN_REVIEW,
  scheduled: 'SCHEDULED',
  publishing: 'PUBLISHING',
  published: 'PUBLISHED,PARTIALLY_PUBLISHED',
  failed: 'FAILED,PARTIALLY_PUBLISHED',
} as const

const STATUSES: ReadonlySet<string> = new Set([
  IN_REVIEW,
  'DRAFT',
  'SCHEDULED',
  'PUBLISHING',
  'PUBLISHED',
  'PARTIALLY_PUBLISHED',
  'FAILED',
] satisfies (Status | typeof IN_REVIEW)[])

/** What list and calendar are narrowed to, as the address says it. */
export interface Filter {
  status?: string
  net?: Platform
  account?: string
  q?: string
}

/** The filter in an address; what is no filter is left out. */
export function readFilter({ status, net, account, q }: Record<string, unknown>): Filter {
  const platform = PLATFORM_ORDER.find((one) => one === net)
  return {
    ...(typeof status === 'string' && status.split(',').every((one) => STATUSES.has(one)) ? { status } : {}),
    ...(platform ? { net: platform } : {}),
    ...(typeof account === 'string' && /^[0-9a-f-]{36}$/.test(account) ? { account } : {}),
    ...(q ? { q: String(q).slice(0, 200) } : {}),
  }
}

export const isFiltered = ({ status, net, account, q }: Filter) => Boolean(status ?? net ?? account ?? q)

/** The filter as the service takes it. */
export const asked = ({ status, net, account, q }: Filter) => ({
  ...(status === IN_REVIEW ? ({ status: 'DRAFT', approval: 'PENDING' } as const) : { status }),
  platform: net,
  accountId: account,
  text: q,
})
