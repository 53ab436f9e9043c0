import { useInfiniteQuery } from '@tanstack/react-query'
import type { Generation, Kind } from '../../../../src/assistant/ai/api.ts'
import type { ChargedDecision } from '../../../../src/conversations/decisions/api.ts'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { chargedQuery } from '../../conversations/bot/queries.ts'
import { generationsQuery } from '../ai/queries.ts'

/** A kind of request by people, `bot` for those of the bot, or an empty text for all. */
export type HistoryFilter = Kind | 'bot' | ''

/** A request by a person or of the bot. */
export type HistoryEntry = { generation: Generation } | { decision: ChargedDecision }

const idOf = (one: HistoryEntry) => ('decision' in one ? one.decision.id : one.generation.id)

/**
 * The requests of people and of the bot as one list, newest first. Ids are in the order of time, and the list ends where
 * one of both has more pages.
 */
export function useHistory(wanted: HistoryFilter) {
  const { ws, membership } = usePlace()
  const people = useInfiniteQuery({
    ...generationsQuery(ws, { kind: wanted === 'bot' ? undefined : wanted || undefined }),
    enabled: wanted !== 'bot' && !refusal(membership, 'listGenerations'),
  })
  const hasBot = !refusal(membership, 'listChargedDecisions')
  const bot = useInfiniteQuery({ ...chargedQuery(ws), enabled: hasBot && (wanted === '' || wanted === 'bot') })
  const lists = [
    ...(wanted === 'bot'
      ? []
      : [{ query: people, rows: people.data?.pages.flatMap(({ data }) => data.map(byPerson)) }]),
    ...(hasBot && (wanted === '' || wanted === 'bot')
      ? [{ query: bot, rows: bot.data?.pages.flatMap(({ data }) => data.map(byBot)) }]
      : []),
  ]
  const ends = lists.flatMap(({ query, rows }) => (query.hasNextPage ? [idOf(rows!.at(-1)!)] : []))
  const end = ends.toSorted().at(-1) ?? ''
  const open = lists.filter(({ query, rows }) => query.hasNextPage && idOf(rows!.at(-1)!) === end)
  return {
    hasBot,
    query: {
      data: lists.every(({ rows }) => rows)
        ? lists
            .flatMap(({ rows = [] }) => rows)
            .filter((one) => idOf(one) >= end)
            .toSorted((a, b) => (idOf(a) < idOf(b) ? 1 : -1))
        : undefined,
      dataUpdatedAt: Math.min(...lists.map(({ query }) => query.dataUpdatedAt)),
      error: lists.find(({ query }) => query.error)?.query.error ?? null,
      refetch: () => Promise.all(lists.map(({ query }) => query.refetch())),
      hasNextPage: open.length > 0,
      isFetchingNextPage: open.some(({ query }) => query.isFetchingNextPage),
      fetchNextPage: () => open.map(({ query }) => query.fetchNextPage()),
    },
  }
}

const byPerson = (generation: Generation): HistoryEntry => ({ generation })
const byBot = (decision: ChargedDecision): HistoryEntry => ({ decision })
