import './endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../client.ts'

/** The service records every read, so nothing refetches automatically. */
const still = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }

const pages = {
  ...still,
  initialPageParam: '',
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor,
  placeholderData: keepPreviousData,
}

export const ADMIN = ['admin'] as const

interface UsersFilter {
  text?: string | undefined
  disabled?: 'true' | 'false' | undefined
}

export const usersQuery = (filter: UsersFilter) =>
  infiniteQueryOptions({
    ...pages,
    queryKey: [...ADMIN, 'users', filter],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string }) =>
      call('listUsers', { query: { ...filter, limit: 50, cursor: pageParam || undefined }, signal }),
  })

export const userQuery = (id: string) =>
  queryOptions({
    ...still,
    queryKey: [...ADMIN, 'user', id],
    queryFn: ({ signal }) => call('getUser', { params: { id }, signal }),
  })

interface WorkspacesFilter {
  text?: string | undefined
  plan?: string | undefined
}

export const workspacesQuery = (filter: WorkspacesFilter) =>
  infiniteQueryOptions({
    ...pages,
    queryKey: [...ADMIN, 'workspaces', filter],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string }) =>
      call('listAllWorkspaces', { query: { ...filter, limit: 50, cursor: pageParam || undefined }, signal }),
  })

export const allPlansQuery = queryOptions({
  ...still,
  queryKey: [...ADMIN, 'plans'],
  queryFn: ({ signal }) => call('listAllPlans', { signal }),
})

export const queuesQuery = queryOptions({
  ...still,
  queryKey: [...ADMIN, 'queues'],
  queryFn: async ({ signal }) => (await call('listQueues', { signal })).data,
})

export const failedQuery = (name: string) =>
  infiniteQueryOptions({
    ...pages,
    queryKey: [...ADMIN, 'failed', name],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string }) =>
      call('listFailed', { params: { name }, query: { limit: 25, cursor: pageParam || undefined }, signal }),
  })

export const adminAuditQuery = (kind: 'changes' | 'reads' | undefined) =>
  infiniteQueryOptions({
    ...pages,
    queryKey: [...ADMIN, 'audit', kind],
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string }) =>
      call('listAdminAudit', { query: { kind, limit: 50, cursor: pageParam || undefined }, signal }),
  })
