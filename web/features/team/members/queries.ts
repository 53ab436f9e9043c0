import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'
import { live } from '../../../queries.ts'

/** At most 50 invitations are open, but more may have expired. */
export const invitationsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'invitations'],
    queryFn: async ({ signal }) =>
      (await call('listInvitations', { workspace: ws, params: { id: ws }, query: { limit: 100 }, signal })).data,
  })

/** The invitation that a link refers to. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call('getInvitation', { params: { token }, signal }),
  })

/** Every member, for choosing among them. */
export const everyMemberQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'members', 'all'],
    queryFn: ({ signal }) =>
      allPages((query) => call('listMembers', { workspace: ws, params: { id: ws }, query, signal })),
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
