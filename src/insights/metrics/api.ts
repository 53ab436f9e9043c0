import * as z from 'zod'
import { type Endpoint, Id, IdParams, Timestamp } from '../../core/http/endpoint.ts'
import { METRICS, type Metric, Platform } from '../../networks/api.ts'

const value = z.int().nullable()
const values = Object.fromEntries(METRICS.map((metric) => [metric, value])) as Record<Metric, typeof value>

/** Totals since the post was published. Null, never 0, if the network reports none. */
const totals = {
  ...values,
  engagement: value.describe('likes + comments + shares + saves, of those that the network tells'),
}

/** What a network reported about a live post at the last reading of a day. */
export const PostMetric = z
  .strictObject({
    publicationId: Id,
    accountId: Id,
    day: z.iso.date().describe('In the zone of the workspace at the reading'),
    readAt: Timestamp,
    ageHours: z.number().describe('The age of the post at the reading'),
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
    publicationId: Id.nullable().describe('null: made elsewhere'),
    externalId: z.string(),
    kind: z.enum(['post', 'reel', 'story', 'pictures']),
    caption: z.string(),
    permalink: z.string().nullable(),
    publishedAt: Timestamp,
    ...totals,
    knownAt: z
      .partialRecord(z.enum(METRICS), Timestamp)
      .describe('The values that the last reading lacked, with the time of the reading that had them'),
    readAt: Timestamp.nullable(),
    nextReadAt: Timestamp.nullable().describe('null: no further reading is planned'),
    goneAt: Timestamp.nullable().describe('The network no longer has it'),
    unmeasurable: z.boolean().describe('The network keeps no figures of it: it is older than the professional account'),
  })
  .meta({ id: 'MeasuredPost' })
export type MeasuredPost = z.infer<typeof MeasuredPost>

export const listPostMetrics = {
  method: 'GET',
  url: '/posts/:id/metrics',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'listPostMetrics',
    summary: 'What the networks told of a live post, by day, the oldest first',
    tags: ['Analytics'],
    params: IdParams,
    response: {
      200: z.strictObject({
        data: z.array(PostMetric),
        nextCursor: z.null(),
        posts: z.array(MeasuredPost).describe('The post on each account where it is live and measured'),
      }),
    },
  },
} as const satisfies Endpoint

export const SyncPlanned = z
  .strictObject({ accountId: Id, nextAt: Timestamp.describe('When the account is read') })
  .meta({ id: 'SyncPlanned' })
export type SyncPlanned = z.infer<typeof SyncPlanned>

export const syncAccountNow = {
  method: 'POST',
  url: '/analytics/sync',
  config: { gate: { role: 'EDITOR', feature: 'analytics' } },
  schema: {
    operationId: 'syncAccountNow',
    summary: 'Have the figures of an account read now, once in 15 minutes',
    tags: ['Analytics'],
    body: z.strictObject({ accountId: Id }),
    response: { 202: SyncPlanned },
  },
} as const satisfies Endpoint
