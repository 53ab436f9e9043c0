import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { OpenThread, Thread } from '../../../../src/conversations/threads/api.ts'

interface Page {
  data: Thread[]
  nextCursor: string | null
}

/** Updates a thread in every cached query, optimistically or from a response. */
export function patchThread(client: QueryClient, ws: string, id: string, change: Partial<Thread>): void {
  client.setQueriesData<InfiniteData<Page>>({ queryKey: [ws, 'conversations', 'list'] }, (lists) => {
    if (!lists?.pages.some(({ data }) => data.some((one) => one.id === id))) return lists
    const pages = lists.pages.map((page) => ({
      ...page,
      data: page.data.map((one) => (one.id === id ? { ...one, ...change } : one)),
    }))
    return { ...lists, pages }
  })
  client.setQueryData<OpenThread>([ws, 'conversation', id, 'open'], (open) => open && { ...open, ...change })
}

/** Refetches lists, counts and the thread. */
export function renewThread(client: QueryClient, ws: string, id: string): void {
  for (const key of [['conversations'], ['conversation', id]]) void client.invalidateQueries({ queryKey: [ws, ...key] })
}
