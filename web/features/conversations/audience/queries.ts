import '../endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'
import type { SegmentFilter } from '../../../../src/conversations/audience/segments/api.ts'
import type { AudienceSearch } from './search.ts'

/** The customers of a workspace, in the order and with the filters asked for. */
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

/** Customers who may be one person: all such pairs, or those of one customer. */
export const pairsQuery = (ws: string, customerId?: string) =>
  queryOptions({
    queryKey: [ws, 'audience', 'pairs', customerId ?? ''],
    queryFn: async ({ signal }) => (await call('listPairs', { workspace: ws, query: { customerId }, signal })).data,
  })

/** The segments, by name. */
export const segmentsQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'segments'],
    queryFn: async ({ signal }) => (await call('listSegments', { workspace: ws, signal })).data,
  })

/** A segment, counted now. */
export const segmentQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'segments', id],
    queryFn: ({ signal }) => call('getSegment', { workspace: ws, params: { id }, signal }),
  })

/** How many customers a filter finds that is not saved yet. */
export const countQuery = (ws: string, filter: SegmentFilter) =>
  queryOptions({
    queryKey: [ws, 'segments', 'count', filter],
    queryFn: ({ signal }) => call('countSegment', { workspace: ws, body: { filter }, signal }),
    placeholderData: keepPreviousData,
  })
