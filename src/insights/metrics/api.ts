import * as z from 'zod'
import { type Endpoint, Id, IdParams, ListQuery, pageOf, Timestamp } from '../../core/http/endpoint.ts'
import { METRICS, type Metric, Platform } from '../../networks/api.ts'

const value = z.int().nullable()
const values = Object.fromEntries(METRICS.map((metric) => [metric, value])) as Record<Metric, typeof value>

/** Totals since the post was published. Null, never 0, if the network reports none. */
const totals = {
  ...values,
  engagement: value.describe('Sum of the likes, comments, shares and saves that the network reports'),
}

/** What a network reported about a live post at the last reading of a day. */
export const PostMetric = z
  .strictObject({
    publicationId: Id,
    accountId: Id,
    day: z.iso.date().describe('Day of the reading, in the time zone that the workspace had then'),
    readAt: Timestamp,
    ageHours: z.number().describe('Age of the post at the reading, in hours'),
    ...totals,
  })
  .meta({ id: 'PostMetric' })
export type PostMetric = z.infer<typeof PostMetric>

/** A live post with the last values that its network reported. */
export const MeasuredPost = z
  .strictObject({
    id: Id,
    accountId: Id,
    accountName: z.string(),
    platform: Platform,
    publicationId: Id.nullable().describe('Null if the post was published elsewhere'),
    externalId: z.string(),
    kind: z.enum(['post', 'reel', 'story', 'pictures']),
    caption: z.string(),
    permalink: z.string().nullable(),
    publishedAt: Timestamp,
    ...totals,
    knownAt: z
      .partialRecord(z.enum(METRICS), Timestamp)
      .describe('Metrics that the last reading lacked, with the time of the reading that had them'),
    readAt: Timestamp.nullable(),
    nextReadAt: Timestamp.nullable().describe('Null if no further reading is planned'),
    goneAt: Timestamp.nullable().describe('When Parley found that the network no longer has the post'),
    unmeasurable: z
      .boolean()
      .describe('Whether the network has no metrics for the post, because it’s older than the professional account'),
  })
  .meta({ id: 'MeasuredPost' })
export type MeasuredPost = z.infer<typeof MeasuredPost>

export const listPostMetrics = {
  method: 'GET',
  url: '/posts/:id/metrics',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listPostMetrics',
    summary: 'List the daily metrics of a live post, oldest first',
    tags: ['Analytics'],
    params: IdParams,
    querystring: ListQuery,
    response: {
      200: pageOf(PostMetric).extend({
        posts: z.array(MeasuredPost).describe('The post on each account where it’s live and measured, on every page'),
      }),
    },
  },
} as const satisfies Endpoint

export const SyncPlanned = z
  .strictObject({ accountId: Id, nextAt: Timestamp.describe('When the account is read next') })
  .meta({ id: 'SyncPlanned' })
export type SyncPlanned = z.infer<typeof SyncPlanned>

export const syncAccountNow = {
  method: 'POST',
  url: '/analytics/sync',
  config: { gate: { role: 'EDITOR', feature: 'analytics' } },
  schema: {
    operationId: 'syncAccountNow',
    summary: 'Update the metrics of an account now, once in 15 minutes',
    tags: ['Analytics'],
    body: z.strictObject({ accountId: Id }),
    response: { 202: SyncPlanned },
  },
} as const satisfies Endpoint
