import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'
import type { LibraryFilter } from './filters.ts'

const STILL_WORKED_ON = 2_000

export const libraryQuery = (ws: string, { q, kind, tag, show }: LibraryFilter) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'media', 'all', { q, kind, tag, show }],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listMedia', {
        workspace: ws,
        query: {
          text: q,
          kind,
          tag,
          used: show === 'unused' ? 'false' : undefined,
          described: show === 'undescribed' ? 'false' : undefined,
          limit: 36,
          cursor: pageParam || undefined,
        },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some((file) => file.state === 'PROCESSING'))
        ? STILL_WORKED_ON
        : live.refetchInterval,
  })

/** The posts that use a file. */
export const usesQuery = (ws: string, mediaFileId: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'posts', 'with', mediaFileId],
    queryFn: ({ signal }) => call('listPosts', { workspace: ws, query: { mediaFileId, limit: 20 }, signal }),
  })
