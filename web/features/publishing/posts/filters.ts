import type { Platform } from '../../../../src/networks/api.ts'
import type { Status } from '../../../../src/publishing/posts/api.ts'
import type { SavedView } from '../../../../src/publishing/views/api.ts'
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

export const isFiltered = ({ status, net, account, label, q }: Filter) =>
  Boolean(status ?? net ?? account ?? label ?? q)

/** The filter as the service takes it. */
export const asked = ({ status, net, account, label, q }: Filter) => ({
  ...(status === IN_REVIEW ? ({ status: 'DRAFT', approval: 'PENDING' } as const) : { status }),
  platform: net,
  accountId: account,
  label,
  text: q,
})

/** All that a filter can say, unsaid. */
export const NO_FILTER = { status: undefined, net: undefined, account: undefined, label: undefined, q: undefined }

type Kept = SavedView['filters']

/** The filter as a view keeps it. */
export const keptOf = ({ status, net, account, label, q }: Filter): Kept => ({
  ...(status === IN_REVIEW
    ? ({ status: ['DRAFT'], approval: 'PENDING' } as const)
    : status && { status: status.split(',') as Status[] }),
  ...(net && { platform: net }),
  ...(account && { accountId: account }),
  ...(label && { label: label.split(',') }),
  ...(q && { text: q }),
})

/** The filter of a view. */
export const filterOf = ({ status, approval, platform, accountId, label, text }: Kept): Filter =>
  readFilter({
    status: approval === 'PENDING' ? IN_REVIEW : status?.join(','),
    net: platform,
    account: accountId,
    label: label?.join(','),
    q: text,
  })

export const sameFilter = (a: Filter, b: Filter) =>
  (['status', 'net', 'account', 'label', 'q'] as const).every((one) => a[one] === b[one])
