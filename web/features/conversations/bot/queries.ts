import './endpoints.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allPages, call } from '../../../client.ts'
import { live } from '../../../queries.ts'

export const configQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'bot-config'],
    queryFn: ({ signal }) => call('getBotConfig', { workspace: ws, signal }),
  })

/** A decision. Refetches until it is made. */
export const decisionQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'decision', id],
    queryFn: ({ signal }) => call('getDecision', { workspace: ws, params: { id }, signal }),
    staleTime: Infinity,
    refetchInterval: (query) => (query.state.data && query.state.data.state !== 'DONE' ? 1500 : false),
  })

/** The bot's decisions that used credits. */
export const chargedQuery = (ws: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'conversations', 'charged'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listChargedDecisions', { workspace: ws, query: { limit: 20, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
  })

/** The draft replies that wait for a person. The oldest come first, because these customers have waited longest. */
export const draftsQuery = (ws: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'drafts'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listDraftReplies', {
        workspace: ws,
        query: { state: 'PENDING_REVIEW', sort: 'oldest', limit: 100, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor,
  })

/** The sent replies that are to be checked. */
export const sentQuery = (ws: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'conversations', 'sent'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call('listSentReplies', { workspace: ws, query: { limit: 20, cursor: pageParam || undefined }, signal }),
    getNextPageParam: (page) => page.nextCursor,
  })

/** One draft reply, such as one that has left the list. */
export const draftQuery = (ws: string, id: string | undefined) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'draft', id],
    queryFn: ({ signal }) => call('getDraftReply', { workspace: ws, params: { id: id! }, signal }),
    enabled: id !== undefined,
  })

/** A batch test. Refetches until every question is decided. */
export const simulationQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'simulation', id],
    queryFn: ({ signal }) => call('getSimulation', { workspace: ws, params: { id }, signal }),
    staleTime: Infinity,
    refetchInterval: (query) => (query.state.data?.done ? false : 1500),
  })

/** What the bot remembers in a conversation. */
export const memoryQuery = (ws: string, conversationId: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'conversation', conversationId, 'memory'],
    queryFn: ({ signal }) =>
      allPages((query) => call('listMemory', { workspace: ws, query: { ...query, conversationId }, signal })),
  })

/** The questions of the last 30 days that the knowledge does not answer, the most asked ones. */
export const gapsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'knowledge-gaps'],
    queryFn: async ({ signal }) =>
      (await call('listKnowledgeGaps', { workspace: ws, query: { limit: 50 }, signal })).data,
  })

/** The passages of one version of the saved knowledge that the bot would retrieve for a question. */
export const passagesQuery = (ws: string, version: number, text: string) =>
  queryOptions({
    queryKey: [ws, 'passages', version, text],
    queryFn: ({ signal }) => call('findPassages', { workspace: ws, body: { text }, signal }),
    enabled: text !== '',
    // Keep the previous result until the next one arrives.
    placeholderData: keepPreviousData,
  })

/** How many days of replies the settings summarise. */
export const FIGURE_DAYS = 30

/** How customers were answered in the last `days` days. */
export const statsQuery = (ws: string, days: number) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'conversations', 'stats', days],
    queryFn: ({ signal }) =>
      call('getReplyStats', {
        workspace: ws,
        query: { from: new Date(Date.now() - days * 86_400_000).toISOString() },
        signal,
      }),
  })

export const experimentsQuery = (ws: string) =>
  queryOptions({
    ...live,
    queryKey: [ws, 'experiments'],
    queryFn: ({ signal }) => allPages((query) => call('listExperiments', { workspace: ws, query, signal })),
  })
