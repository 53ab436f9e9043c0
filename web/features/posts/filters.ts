import type { Status } from '../../../src/posts/api.ts'

/** The filters of the list: what each asks the service for. */
export const FILTERS = {
  all: undefined,
  drafts: 'DRAFT',
  scheduled: 'SCHEDULED',
  publishing: 'PUBLISHING',
  published: 'PUBLISHED,PARTIALLY_PUBLISHED',
  failed: 'FAILED,PARTIALLY_PUBLISHED',
} as const

const STATUSES: ReadonlySet<string> = new Set([
  'DRAFT',
  'SCHEDULED',
  'PUBLISHING',
  'PUBLISHED',
  'PARTIALLY_PUBLISHED',
  'FAILED',
] satisfies Status[])

export const isStatus = (text: string) => STATUSES.has(text)
