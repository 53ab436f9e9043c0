import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query'
import type { SocialAccount } from '../src/channels/api.ts'
import type { Platform } from '../src/networks/api.ts'
import { allPages, call, isProblem } from './client.ts'
import { PLATFORM_ORDER } from './labels.ts'

export const MINUTE = 60_000

/** Keys of workspace queries begin with the workspace id. Visible queries refetch once a minute. */
export const live = { refetchInterval: MINUTE, staleTime: 10_000 }

export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Offline, fail with an error. A paused query would show its skeleton forever.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (count, error) => count < 2 && (!isProblem(error) || error.status === 0 || error.status >= 500),
        retryDelay: (count) => 400 * 2 ** count,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => call('getConfig', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call('getMe', { signal }),
  staleTime: MINUTE,
  // This is how any screen notices that the session was ended elsewhere.
  refetchInterval: MINUTE / 2,
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => allPages((query) => call('listSessions', { query, signal })),
})

/** The number of unread notifications. Hints cover only the open workspace. */
export const unreadQuery = queryOptions({
  ...live,
  queryKey: ['notifications', 'unread'],
  queryFn: async ({ signal }) =>
    (await call('listNotifications', { query: { limit: 1, unread: 'true' }, signal })).unreadCount,
})

export const workspaceQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'workspace'],
    queryFn: ({ signal }) => call('getWorkspace', { workspace: ws, params: { id: ws }, signal }),
  })

export const accountsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'accounts'],
    queryFn: async ({ signal }) => allAccounts(ws, signal),
  })

/** Every account of the workspace, grouped by network. */
async function allAccounts(ws: string, signal: AbortSignal) {
  const all = await allPages((query) => call('listSocialAccounts', { workspace: ws, query, signal }))
  const placeOf = ({ platform }: SocialAccount) => PLATFORM_ORDER.indexOf(platform)
  return all.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** All labels of the workspace, by name. */
export const labelsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'labels'],
    queryFn: ({ signal }) => allPages((query) => call('listLabels', { workspace: ws, query, signal })),
  })

export const usageQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'usage'],
    queryFn: async ({ signal }) => (await call('listUsage', { workspace: ws, signal })).data,
  })

/** The choices that the owner of an account allows. Each read calls the network, so it is cached longer. */
export const postingOptionsQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'posting-options', id],
    queryFn: ({ signal }) => call('getPostingOptions', { workspace: ws, params: { id }, signal }),
    staleTime: 5 * MINUTE,
  })

export interface PostsFilter {
  status?: string
  approval?: 'PENDING'
  platform?: Platform
  accountId?: string
  label?: string
  text?: string
}

export const postsQuery = (ws: string, filter: PostsFilter) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'posts', filter],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listPosts', { workspace: ws, query: { ...filter, limit: 30, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })

export const calendarQuery = (ws: string, from: string, to: string, filter: PostsFilter) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'calendar', from, to, filter],
    queryFn: async ({ signal }) =>
      (await call('getCalendar', { workspace: ws, query: { ...filter, from, to }, signal })).data,
    placeholderData: keepPreviousData,
  })

export const postQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'post', id],
    queryFn: ({ signal }) => call('getPost', { workspace: ws, params: { id }, signal }),
    refetchInterval: (query) => (query.state.data?.status === 'PUBLISHING' ? 5000 : MINUTE),
  })

export const mediaQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'media', id],
    queryFn: ({ signal }) => call('getMedia', { workspace: ws, params: { id }, signal }),
    refetchInterval: (query) => (query.state.data && query.state.data.state !== 'PROCESSING' ? false : 2000),
  })

/** The deleted workspaces that their owner can restore. */
export const deletedQuery = queryOptions({
  queryKey: ['deleted-workspaces'],
  queryFn: ({ signal }) =>
    allPages((query) => call('listWorkspaces', { query: { ...query, deleted: 'true' }, signal })),
})

/** The newest pending approvals, for their number and their reviewers. */
export const waitingQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'approvals', 'waiting'],
    queryFn: ({ signal }) => call('listApprovals', { workspace: ws, query: { state: 'PENDING', limit: 50 }, signal }),
  })
