import type { Status } from '../../../../src/publishing/posts/api.ts'
import type { SavedView } from '../../../../src/publishing/views/api.ts'
import { type Filter, IN_REVIEW, readFilter } from './read-filter.ts'

/** The filters of the list, as in the address. */
export const FILTERS = {
  all: undefined,
  drafts: 'DRAFT',
  inReview: IN_REVIEW,
  scheduled: 'SCHEDULED',
  publishing: 'PUBLISHING',
  published: 'PUBLISHED,PARTIALLY_PUBLISHED',
  failed: 'FAILED,PARTIALLY_PUBLISHED',
} as const

export const isFiltered = ({ status, net, account, label, q }: Filter) =>
  Boolean(status ?? net ?? account ?? label ?? q)

/** The filter as the service expects it. */
export const asked = ({ status, net, account, label, q }: Filter) => ({
  ...(status === IN_REVIEW ? ({ status: 'DRAFT', approval: 'PENDING' } as const) : { status }),
  platform: net,
  accountId: account,
  label,
  text: q,
})

/** Every filter, cleared. */
export const NO_FILTER = { status: undefined, net: undefined, account: undefined, label: undefined, q: undefined }

type Kept = SavedView['filters']

/** The filter as a saved view stores it. */
export const keptOf = ({ status, net, account, label, q }: Filter): Kept => ({
  ...(status === IN_REVIEW
    ? ({ status: ['DRAFT'], approval: 'PENDING' } as const)
    : status && { status: status.split(',') as Status[] }),
  ...(net && { platform: net }),
  ...(account && { accountId: account }),
  ...(label && { label: label.split(',') }),
  ...(q && { text: q }),
})

/** The filter of a saved view. */
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
