import './endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client.ts'

/** The underlying posts change once a day. */
const HOUR = 3_600_000

export const predictionsQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'post', id, 'predictions'],
    queryFn: ({ signal }) => call('listPredictions', { workspace: ws, params: { id }, signal }),
  })

export const accuracyQuery = (ws: string, accountId: string) =>
  queryOptions({
    queryKey: [ws, 'accuracy', accountId],
    queryFn: ({ signal }) => call('getPredictionAccuracy', { workspace: ws, query: { accountId }, signal }),
    staleTime: HOUR,
  })

export const bestTimesQuery = (ws: string, accountId: string) =>
  queryOptions({
    queryKey: [ws, 'best-times', accountId],
    queryFn: ({ signal }) => call('getBestTimes', { workspace: ws, query: { accountId }, signal }),
    staleTime: HOUR,
  })
