import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Approval } from '../../../../src/publishing/posts/api.ts'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const approvalsQuery = (ws: string, state: Approval['state'] | undefined) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'approvals', state ?? 'all'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listApprovals', { workspace: ws, query: { state, limit: 50, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })

export const commentsQuery = (ws: string, postId: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'comments', postId],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listComments', {
        workspace: ws,
        params: { id: postId },
        query: { limit: 30, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
  })

export const versionsQuery = (ws: string, postId: string) =>
  infiniteQueryOptions({
    queryKey: [ws, 'versions', postId],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listVersions', {
        workspace: ws,
        params: { id: postId },
        query: { limit: 30, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
  })

export const reviewLinksQuery = (ws: string, postId: string) =>
  queryOptions({
    queryKey: [ws, 'review-links', postId],
    queryFn: async ({ signal }) =>
      (await call('listReviewLinks', { workspace: ws, params: { id: postId }, signal })).data,
  })

/** What the link to a post shows. */
export const reviewQuery = (token: string) =>
  queryOptions({
    ...live,
    queryKey: ['review', token],
    queryFn: ({ signal }) => call('getReview', { params: { token }, signal }),
  })
