import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query'
import type { Platform } from '../src/accounts/api.ts'
import type { Approval } from '../src/posts/api.ts'
import { call, isProblem } from './client.ts'

const MINUTE = 60_000

/** Queries of a workspace begin with its id; what is on the screen is also looked at once a minute. */
const live = { refetchInterval: MINUTE, staleTime: 10_000 }

export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (count, error) => count < 2 && (!isProblem(error) || error.status === 0 || error.status >= 500),
        retryDelay: (count) => 400 * 2 ** count,
      },
      mutations: { retry: false },
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
  // A session that was ended elsewhere is seen by it, whatever screen is open.
  refetchInterval: MINUTE / 2,
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call('listSessions', { signal }),
})

/** How much one has not read yet; of what happens in another workspace no hint comes. */
export const unreadQuery = queryOptions({
  ...live,
  queryKey: ['notifications', 'unread'],
  queryFn: async ({ signal }) =>
    (await call('listNotifications', { query: { limit: 1, unread: 'true' }, signal })).unreadCount,
})

export const notificationsQuery = infiniteQueryOptions({
  ...live,
  queryKey: ['notifications', 'list'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    call('listNotifications', { query: { limit: 30, cursor: pageParam || undefined }, signal }),
  getNextPageParam: (page) => page.nextCursor,
})

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => call('getNotificationPreferences', { signal }),
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
    queryFn: async ({ signal }) => (await call('listSocialAccounts', { workspace: ws, signal })).data,
  })

export const membersQuery = (ws: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'members'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listMembers', {
        workspace: ws,
        params: { id: ws },
        query: { limit: 50, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
  })

/** At most 50 are open; those whose time is over may be more. */
export const invitationsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'invitations'],
    queryFn: async ({ signal }) =>
      (await call('listInvitations', { workspace: ws, params: { id: ws }, query: { limit: 100 }, signal })).data,
  })

export const usageQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'usage'],
    queryFn: async ({ signal }) => (await call('listUsage', { workspace: ws, signal })).data,
  })

/** What the link of an invitation opens. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call('getInvitation', { params: { token }, signal }),
  })

/** What the owner of an account lets be chosen for a post: asked from the network, so not too often. */
export const postingOptionsQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'posting-options', id],
    queryFn: ({ signal }) => call('getPostingOptions', { workspace: ws, params: { id }, signal }),
    staleTime: 5 * MINUTE,
  })

interface PostsFilter {
  status?: string
  platform?: Platform
  accountId?: string
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

/** What one owned and deleted, while it can come back. */
export const deletedQuery = queryOptions({
  queryKey: ['deleted-workspaces'],
  queryFn: async ({ signal }) => (await call('listWorkspaces', { query: { deleted: 'true' }, signal })).data,
})

export const plansQuery = (ws: string) =>
  queryOptions({
    queryKey: [ws, 'plans'],
    queryFn: async ({ signal }) => (await call('listPlans', { workspace: ws, signal })).data,
  })

export const subscriptionQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'subscription'],
    queryFn: ({ signal }) => call('getSubscription', { workspace: ws, signal }),
  })

interface AuditFilter {
  action?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export const auditQuery = (ws: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'audit', filter],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listAudit', { workspace: ws, query: { ...filter, limit: 50, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })

/** What waits for approval, the newest of it: how much, and for whom. */
export const waitingQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'approvals', 'waiting'],
    queryFn: ({ signal }) => call('listApprovals', { workspace: ws, query: { state: 'PENDING', limit: 50 }, signal }),
  })

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
