import '../endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'

/** All saved replies by name. With a conversation, each is filled in for it. */
export const savedRepliesQuery = (ws: string, conversationId?: string) =>
  queryOptions({
    queryKey: [ws, 'saved-replies', conversationId ?? null],
    queryFn: async ({ signal }) =>
      (
        await call('listSavedReplies', {
          workspace: ws,
          query: conversationId === undefined ? {} : { conversationId },
          signal,
        })
      ).data,
  })
