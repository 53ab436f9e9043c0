import type { ListQuery, Thread, ThreadView } from '../../../../src/conversations/api.ts'

/** The views that people choose from; the first one opens. */
export const VIEWS = [
  'unanswered',
  'mine',
  'unassigned',
  'review',
  'escalated',
  'snoozed',
  'all',
] as const satisfies readonly ThreadView[]
export type View = (typeof VIEWS)[number]

/** The most urgent first, as the list shows them. */
export const URGENCIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly Thread['urgency'][]
export type Urgency = (typeof URGENCIES)[number]
export const KINDS = ['COMMENT', 'DM'] as const satisfies readonly Thread['kind'][]
type Kind = (typeof KINDS)[number]

/** The view of the inbox, from the address. */
export interface InboxSearch {
  filter?: View
  q?: string
  account?: string
  /** Comments or direct messages alone. */
  only?: Kind
  urgency?: Urgency
  label?: string
  /** The comments of one post. */
  post?: string
  unread?: true
  sort?: 'newest'
  /** The thread that is open. */
  id?: string
  /** Whether the customer is shown, where there is no room for both. */
  about?: true
}

const ID = /^[0-9a-f-]{36}$/
const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

/** The search in an address; what has no meaning there is left out. */
export function readSearch({
  filter,
  q,
  account,
  only,
  urgency,
  label,
  post,
  unread,
  sort,
  id,
  about,
}: Record<string, unknown>): InboxSearch {
  const shown = VIEWS.find((one) => one === filter)
  const kind = KINDS.find((one) => one === only)
  const pressing = URGENCIES.find((one) => one === urgency)
  return {
    ...(shown && { filter: shown }),
    ...(q ? { q: String(q).slice(0, 200) } : {}),
    ...(isId(account) && { account }),
    ...(kind && { only: kind }),
    ...(pressing && { urgency: pressing }),
    ...(isId(label) && { label }),
    ...(isId(post) && { post }),
    ...(unread === true && { unread }),
    ...(sort === 'newest' && { sort }),
    ...(isId(id) && { id }),
    ...(isId(id) && about === true && { about }),
  }
}

/** Whether the list is narrowed beyond its view. */
export const isFiltered = ({ q, account, only, urgency, label, post, unread }: InboxSearch) =>
  Boolean(q ?? account ?? only ?? urgency ?? label ?? post ?? unread)

/** All that narrows a view, unsaid. */
export const NO_FILTER = {
  q: undefined,
  account: undefined,
  only: undefined,
  urgency: undefined,
  label: undefined,
  post: undefined,
  unread: undefined,
}

/** The search as the service takes it. A text and the comments of a post are looked for in every view. */
export const asked = ({ filter, q, account, only, urgency, label, post, unread, sort }: InboxSearch) =>
  ({
    view: q || post ? 'all' : (filter ?? VIEWS[0]),
    q,
    accountId: account,
    kind: only,
    urgency,
    label,
    postId: post,
    unread: unread && 'true',
    sort,
  }) satisfies { [K in keyof ListQuery]?: ListQuery[K] | undefined }
