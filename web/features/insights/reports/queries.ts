import '../endpoints.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Report } from '../../../../src/insights/reports/api.ts'
import { call } from '../../../client.ts'
import { live } from '../../../queries.ts'

/** The reports, newest first. */
export const reportsQuery = (ws: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'reports', 'list'],
    queryFn: ({ pageParam, signal }) =>
      call('listReports', { workspace: ws, query: { cursor: pageParam || undefined }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

const SOON = 3_000

/** A report. Refetches soon while an email is being sent. */
export const reportQuery = (ws: string, id: string) =>
  queryOptions({
    ...live,
    refetchInterval: ({ state: { data } }: { state: { data?: Report | undefined } }) =>
      data?.mails.some(({ state }) => state === 'waiting') ? SOON : live.refetchInterval,
    queryKey: [ws, 'reports', 'one', id],
    queryFn: ({ signal }) => call('getReport', { workspace: ws, params: { id }, signal }),
  })

export const previewQuery = (ws: string, id: string, version: number) =>
  queryOptions({
    queryKey: [ws, 'reports', 'preview', id, version],
    queryFn: ({ signal }) => call('previewReport', { workspace: ws, params: { id }, signal }),
  })

/** The snapshots of one report, or all that the caller may see, newest first. */
export const snapshotsQuery = (ws: string, reportId?: string) =>
  infiniteQueryOptions({
    ...live,
    queryKey: [ws, 'reports', 'snapshots', reportId ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      call('listReportSnapshots', { workspace: ws, query: { reportId, cursor: pageParam || undefined }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const snapshotQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: [ws, 'reports', 'snapshot', id],
    queryFn: ({ signal }) => call('getReportSnapshot', { workspace: ws, params: { id }, signal }),
  })

/** The content of a link. It never changes, but the link may be revoked or expire. */
export const sharedReportQuery = (token: string) =>
  queryOptions({
    ...live,
    queryKey: ['shared-report', token],
    queryFn: ({ signal }) => call('getSharedReport', { params: { token }, signal }),
  })
