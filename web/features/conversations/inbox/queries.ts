import '../endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { authorizedFetch, call, problemOf } from '../../../client.ts'
import { live } from '../../../queries.ts'
import { asked, type InboxSearch } from './search.ts'

// Hints of conversations make every key that begins with the workspace and `conversations` or `conversation` stale (web/live.ts).

export const threadsQuery = (ws: string, { id: _, about: __, ...search }: InboxSearch) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'conversations', 'list', search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listConversations', {
        workspace: ws,
        query: { ...asked(search), limit: 50, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })

export const countsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'conversations', 'counts'],
    queryFn: ({ signal }) => call('countConversations', { workspace: ws, signal }),
  })

export const threadQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'conversation', id, 'open'],
    queryFn: ({ signal }) => call('getConversation', { workspace: ws, params: { id }, signal }),
  })

/** The messages before those that a thread opens with; `before` is the cursor of the oldest of them. */
export const earlierQuery = (ws: string, id: string) =>
  infiniteQueryOptions({
    queryKey: [ws, 'conversation', id, 'earlier'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listMessages', {
        workspace: ws,
        params: { id },
        query: { limit: 50, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
  })

/** The most threads that are read of one customer. */
export const MOST_THREADS = 10

/** The threads of a customer, the newest first. */
export const customerQuery = (ws: string, customerId: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'conversations', 'customer', customerId],
    queryFn: async ({ signal }) =>
      (
        await call('listConversations', {
          workspace: ws,
          query: { customerId, sort: 'newest', limit: MOST_THREADS },
          signal,
        })
      ).data,
  })

/** The bytes of a customer's file, by its path. They never change. */
export const fileQuery = (ws: string, path: string) =>
  queryOptions({
    queryKey: [ws, 'file', path],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const response = await authorizedFetch(path, { headers: { 'x-workspace-id': ws }, signal })
      if (!response.ok) throw problemOf(response.status, await response.text())
      return response.blob()
    },
  })
