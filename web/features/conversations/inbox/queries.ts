import '../endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { authorizedFetch, call, problemOf } from '../../../client.ts'
import { live } from '../../../queries.ts'
import { asked, type InboxSearch } from './search.ts'

// Conversation hints invalidate every key that begins with the workspace and `conversations` or `conversation`
// (web/live.ts).

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

/** The number of messages that a thread opens with. */
export const OPENED_WITH = 50

/**
 * All messages of a thread, newest page first. The first page begins with the messages that the thread opens with, so
 * it is twice as long.
 */
export const earlierQuery = (ws: string, id: string) =>
  infiniteQueryOptions({
    queryKey: [ws, 'conversation', id, 'earlier'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listMessages', {
        workspace: ws,
        params: { id },
        query: pageParam ? { limit: OPENED_WITH, cursor: pageParam } : { limit: 2 * OPENED_WITH },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
  })

/** The maximum number of a customer's threads to load. */
export const MOST_THREADS = 10

/** A customer's threads, newest first. */
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

/** The bytes of a customer's file, by its path. They are immutable. */
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
