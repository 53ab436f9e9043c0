import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Approval } from '../../../../src/publishing/posts/api.ts'
import type { ReviewLink, SharedReviewLink } from '../../../../src/publishing/approvals/api.ts'
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

/** The review links of one post, or all in the workspace. */
export const reviewLinksQuery = (ws: string, postId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [ws, 'review-links', postId ?? 'all'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }): Promise<{ data: (ReviewLink | SharedReviewLink)[]; nextCursor: string | null }> =>
      postId === undefined
        ? call('listSharedReviewLinks', { workspace: ws, query: { limit: 10, cursor: pageParam || undefined }, signal })
        : call('listReviewLinks', {
            workspace: ws,
            params: { id: postId },
            query: { limit: 100, cursor: pageParam || undefined },
            signal,
          }),
    getNextPageParam: (page) => page.nextCursor,
  })

/** The content of a review link. */
export const reviewQuery = (token: string) =>
  queryOptions({
    ...live,
    queryKey: ['review', token],
    queryFn: ({ signal }) => call('getReview', { params: { token }, signal }),
  })
