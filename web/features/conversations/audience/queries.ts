import '../endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'
import { live } from '../../../queries.ts'
import type { AudienceSegment, SegmentFilter } from '../../../../src/conversations/audience/segments/api.ts'
import { fewAtOnce } from './few-at-once.ts'
import type { AudienceSearch } from './search.ts'

/** The customers of a workspace, sorted and filtered. */
export const audienceQuery = (ws: string, { text, tag, segment: segmentId, order: sort }: AudienceSearch) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'audience', 'list', { text, tag, segmentId, sort }],
    queryFn: ({ pageParam, signal }) =>
      call('listAudience', {
        workspace: ws,
        query: { text, tag, segmentId, sort, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })

export const customerNodeQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'audience', 'customer', id],
    queryFn: ({ signal }) => call('getCustomer', { workspace: ws, params: { id }, signal }),
  })

/** The likeliest pairs of customers who may be the same person: of all, or of one customer. */
export const pairsQuery = (ws: string, customerId?: string) =>
  queryOptions({
    queryKey: [ws, 'audience', 'pairs', customerId ?? ''],
    queryFn: async ({ signal }) =>
      (await call('listPairs', { workspace: ws, query: { customerId, limit: 50 }, signal })).data,
  })

/** The segments, by name. */
export const segmentsQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'segments'],
    queryFn: ({ signal }) => allPages((query) => call('listSegments', { workspace: ws, query, signal })),
  })

const counting = fewAtOnce(3)

/** A segment with a fresh count. */
export const segmentQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'segments', id],
    queryFn: ({ signal }) => counting(() => call('getSegment', { workspace: ws, params: { id }, signal })),
  })

/** A segment in the list. Shows its last count first, and recounts when that is over a minute old. */
export const listedSegmentQuery = (ws: string, segment: AudienceSegment) =>
  queryOptions({
    ...segmentQuery(ws, segment.id),
    staleTime: 60_000,
    initialData: segment.countedAt ? segment : undefined,
    initialDataUpdatedAt: segment.countedAt ? Date.parse(segment.countedAt) : undefined,
  })

/** The number of customers that an unsaved filter matches. */
export const countQuery = (ws: string, filter: SegmentFilter) =>
  queryOptions({
    queryKey: [ws, 'segments', 'count', filter],
    queryFn: ({ signal }) => call('countSegment', { workspace: ws, body: { filter }, signal }),
    placeholderData: keepPreviousData,
  })
