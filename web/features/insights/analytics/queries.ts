import '../endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { PostAge, PostSort, TagDimension } from '../../../../src/insights/analytics/api.ts'
import type { Platform } from '../../../../src/networks/api.ts'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

/** Half-open days, optionally of one account or network. */
export interface FigureFilter {
  from: string
  to: string
  accountId?: string | undefined
  platform?: Platform | undefined
}

export const overviewFiguresQuery = (ws: string, asked: FigureFilter) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'analytics', 'overview', asked],
    queryFn: ({ signal }) =>
      call('getAnalyticsOverview', { workspace: ws, query: { ...asked, compare: 'previous' }, signal }),
    placeholderData: keepPreviousData,
    // During an account's first reading, new data arrives every few seconds.
    refetchInterval: ({ state: { data } }) =>
      data?.byAccount.some(({ firstReading }) => firstReading !== null) ? 5_000 : live.refetchInterval,
  })

/** Whether any posts were published since an instant. Reads at most one. */
export const postsSinceQuery = (ws: string, { from, accountId, platform }: Omit<FigureFilter, 'to'>) => {
  const query = { from, accountId, platform, status: 'PUBLISHED,PARTIALLY_PUBLISHED', limit: 1 }
  return queryOptions({
    ...live,
    queryKey: [ws, 'posts', 'since', query],
    queryFn: async ({ signal }) => (await call('listPosts', { workspace: ws, query, signal })).data,
  })
}

interface Ranking extends FigureFilter {
  sort: PostSort
  at?: PostAge | undefined
  limit: number
}

export const rankedPostsQuery = (ws: string, asked: Ranking) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'analytics', 'posts', asked],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listAnalyticsPosts', { workspace: ws, query: { ...asked, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })

export const hoursQuery = (ws: string, asked: FigureFilter & { at: PostAge }) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'analytics', 'hours', asked],
    queryFn: ({ signal }) => call('listAnalyticsHours', { workspace: ws, query: asked, signal }),
    placeholderData: keepPreviousData,
  })

export const tagGroupsQuery = (ws: string, asked: FigureFilter & { by: TagDimension; at?: PostAge | undefined }) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'analytics', 'tags', asked],
    queryFn: ({ signal }) => call('listAnalyticsTags', { workspace: ws, query: asked, signal }),
    placeholderData: keepPreviousData,
  })

export const postAnalysisQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'analytics', 'post', id],
    queryFn: ({ signal }) => call('getAnalyticsPost', { workspace: ws, params: { id }, signal }),
  })

/** The explanation of each figure. The same for everyone until the next release. */
export const catalogueQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'analytics', 'metrics'],
    queryFn: async ({ signal }) => (await call('listMetrics', { workspace: ws, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
