import '../endpoints.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'
import type { ABTest } from '../../../../src/insights/ab-tests/api.ts'

/** The tests, newest first. */
export const testsQuery = (ws: string) =>
  infiniteQueryOptions({
    queryKey: [ws, 'ab-tests'],
    queryFn: ({ pageParam, signal }) =>
      call('listABTests', { workspace: ws, query: pageParam === null ? {} : { cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const testQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'ab-tests', id],
    queryFn: ({ signal }) => call('getABTest', { workspace: ws, params: { id }, signal }),
  })

/** The differences that a test could detect. */
export const planQuery = (ws: string, plan: { accountId: string; kind: ABTest['kind']; blocks: number }) =>
  queryOptions({
    queryKey: [ws, 'ab-tests', 'plan', plan],
    queryFn: ({ signal }) => call('planABTest', { workspace: ws, body: plan, signal }),
    enabled: plan.accountId !== '',
  })

/** All scheduled posts, to fill the blocks of a test. */
export const scheduledQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'posts', 'scheduled-for-test'],
    queryFn: ({ signal }) =>
      allPages((query) => call('listPosts', { workspace: ws, query: { ...query, status: 'SCHEDULED' }, signal })),
  })
