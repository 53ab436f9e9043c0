import '../endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'

/** All saved replies by name. With a conversation, each is filled in for it. */
export const savedRepliesQuery = (ws: string, conversationId?: string) =>
  queryOptions({
    queryKey: [ws, 'saved-replies', conversationId ?? null],
    queryFn: ({ signal }) =>
      allPages((query) =>
        call('listSavedReplies', {
          workspace: ws,
          query: { ...query, ...(conversationId !== undefined && { conversationId }) },
          signal,
        }),
      ),
  })
