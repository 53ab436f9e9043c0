import type { Role } from '../../../../src/core/http/endpoint.ts'
import type { ListQuery, Thread, ThreadView, Urgency } from '../../../../src/conversations/threads/api.ts'

/** The views to choose from. The first is the default. */
export const VIEWS = [
  'unanswered',
  'mine',
  'unassigned',
  'review',
  'escalated',
  'snoozed',
  'all',
] as const satisfies readonly ThreadView[]
export type InboxView = (typeof VIEWS)[number]

/** Views for a client, who sees neither who handles a thread nor what the bot does in it. */
const CLIENTS_VIEWS: readonly InboxView[] = ['unanswered', 'escalated', 'snoozed', 'all']
export const viewsFor = (role: Role): readonly InboxView[] => (role === 'CLIENT' ? CLIENTS_VIEWS : VIEWS)

/** Most urgent first, as in the list. */
export const URGENCIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly Urgency[]
export type UrgencyFilter = (typeof URGENCIES)[number]
export const KINDS = ['COMMENT', 'DM'] as const satisfies readonly Thread['kind'][]
type Kind = (typeof KINDS)[number]
type Sentiment = NonNullable<Thread['sentiment']>
export const SENTIMENTS = ['positive', 'neutral', 'negative'] as const satisfies readonly Sentiment[]

/** The state of the inbox in the address. */
export interface InboxSearch {
  filter?: InboxView
  q?: string
  account?: string
  /** Only comments, or only direct messages. */
  only?: Kind
  urgency?: UrgencyFilter
  sentiment?: Sentiment
  /** The person to whom threads are assigned. */
  assignee?: string
  label?: string
  /** Only closed threads. */
  closed?: true
  /** The comments of one post. */
  post?: string
  unread?: true
  sort?: 'newest'
  /** The open thread. */
  id?: string
  /** Whether the customer replaces the thread, where there is no room for both. */
  about?: true
}

const ID = /^[0-9a-f-]{36}$/
const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

/** Reads the search from an address and ignores anything invalid. */
export function readSearch({
  filter,
  q,
  account,
  only,
  urgency,
  sentiment,
  assignee,
  label,
  closed,
  post,
  unread,
  sort,
  id,
  about,
}: Record<string, unknown>): InboxSearch {
  const shown = VIEWS.find((one) => one === filter)
  const kind = KINDS.find((one) => one === only)
  const mood = SENTIMENTS.find((one) => one === sentiment)
  const pressing = URGENCIES.find((one) => one === urgency)
  return {
    ...(shown && { filter: shown }),
    ...(q ? { q: String(q).slice(0, 200) } : {}),
    ...(isId(account) && { account }),
    ...(kind && { only: kind }),
    ...(pressing && { urgency: pressing }),
    ...(mood && { sentiment: mood }),
    ...(isId(assignee) && { assignee }),
    ...(isId(label) && { label }),
    ...(closed === true && { closed }),
    ...(isId(post) && { post }),
    ...(unread === true && { unread }),
    ...(sort === 'newest' && { sort }),
    ...(isId(id) && { id }),
    ...(isId(id) && about === true && { about }),
  }
}

const FILTERS = [
  'q',
  'account',
  'only',
  'urgency',
  'sentiment',
  'assignee',
  'label',
  'closed',
  'post',
  'unread',
] as const satisfies readonly (keyof InboxSearch)[]
type Filter = (typeof FILTERS)[number]

/** What narrows the list of threads, and how to change it. */
export interface Narrowing {
  search: InboxSearch
  onChange: (change: Partial<InboxSearch>) => void
}

/** Whether the list is filtered beyond its view. */
export const isFiltered = (search: InboxSearch) => FILTERS.some((one) => search[one] !== undefined)

/** Every filter of a view, cleared. */
export const NO_FILTER = Object.fromEntries(FILTERS.map((one) => [one, undefined])) as Record<Filter, undefined>

/** The search as the service expects it. A text, a post, and closed threads are searched in all views. */
export const asked = (search: InboxSearch) => {
  const { filter, q, account, only, urgency, sentiment, assignee, label, closed, post, unread, sort } = search
  return {
    view: q || post || closed ? 'all' : (filter ?? VIEWS[0]),
    q,
    accountId: account,
    kind: only,
    urgency,
    sentiment,
    assignee,
    label,
    status: closed && 'CLOSED',
    postId: post,
    unread: unread && 'true',
    sort,
  } satisfies { [K in keyof ListQuery]?: ListQuery[K] | undefined }
}
