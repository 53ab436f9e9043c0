import './endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Kind } from '../../../../src/assistant/ai/api.ts'
import { allPages, call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const voicesQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'workspace', 'voices'],
    queryFn: ({ signal }) => allPages((query) => call('listBrandVoices', { workspace: ws, query, signal })),
  })

export const suggestionsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'suggestions'],
    queryFn: async ({ signal }) => (await call('listSuggestions', { workspace: ws, signal })).data,
  })

export const generationsQuery = (ws: string, filter: { kind?: Kind | undefined }) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'generations', filter],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listGenerations', {
        workspace: ws,
        query: { ...filter, limit: 20, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })

export const postTagsQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'post', id, 'tags'],
    queryFn: async ({ signal }) => (await call('getPostTags', { workspace: ws, params: { id }, signal })).data,
  })

/** Caches the credits left from the last response, because not every role may read the usage. */
export const leftKey = (ws: string) => [ws, 'credits-left']
