import * as z from 'zod'
import { type Endpoint, Id, IdParams, NoBody, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Predictions'] as const

const HOURS = ['00', '04', '08', '12', '16', '20'] as const
export const SlotOfWeek = z
  .templateLiteral([z.enum(['weekday', 'weekend']), '-', z.enum(HOURS)])
  .describe('The four hours from this one on, in the zone of the workspace, such as weekday-08')
export type SlotOfWeek = z.infer<typeof SlotOfWeek>

const Factor = z.enum(['kind', 'topic', 'tone', 'slot', 'length', 'link', 'question'])
export type Factor = z.infer<typeof Factor>

const PredictionReason = z.strictObject({
  factor: Factor,
  value: z.string(),
  ratio: z.number().describe('Posts of this group have so many times the usual engagement'),
  n: z.int().describe('The posts of this group'),
})
export type PredictionReason = z.infer<typeof PredictionReason>

const count = z.int().min(0)

const predicted = {
  low: count.describe('The interval from low to high holds about 80 % of such posts'),
  middle: count,
  high: count,
  usual: count.describe('The median of the posts that it was predicted from'),
  n: z.int().describe('The measured posts that it was predicted from'),
  percentile: z.int().min(0).max(100).describe('The share of these posts that are below the middle'),
  reasons: z.array(PredictionReason).describe('What moves it most from the usual, first the largest'),
}
const Prediction = z.strictObject(predicted)
export type Prediction = z.infer<typeof Prediction>

/**
 * The expected engagement of a post 7 days after it went live on an account. The last prediction before it went live
 * counts.
 */
export const EngagementPrediction = z
  .strictObject({
    postId: Id,
    accountId: Id,
    verdict: z.literal('predicted'),
    version: z.int().describe('The version of the post that it is about'),
    ...predicted,
    actual: count.nullable().describe('What it became by day 7; null before'),
    madeAt: Timestamp,
  })
  .meta({ id: 'EngagementPrediction' })
export type EngagementPrediction = z.infer<typeof EngagementPrediction>

const need = z.int().describe('The measured posts that it takes')

const PredictionRefusal = z
  .strictObject({ postId: Id, accountId: Id, verdict: z.literal('too_little_data'), have: count, need })
  .meta({ id: 'PredictionRefusal' })

const predictions = z.strictObject({
  data: z.array(z.discriminatedUnion('verdict', [EngagementPrediction, PredictionRefusal])),
  nextCursor: z.null(),
})
export type Predictions = z.infer<typeof predictions>

export const listPredictions = {
  method: 'GET',
  url: '/posts/:id/predictions',
  config: { gate: { role: 'VIEWER', feature: 'predictions' } },
  schema: {
    operationId: 'listPredictions',
    summary: 'The last predictions of a post, one for each account. A story has none',
    tags,
    params: IdParams,
    response: { 200: predictions },
  },
} as const satisfies Endpoint

export const makePredictions = {
  method: 'POST',
  url: '/posts/:id/predictions',
  config: { gate: { role: 'EDITOR', feature: 'predictions' } },
  schema: {
    operationId: 'makePredictions',
    summary: 'Predict the current version of a post, once for each version and account',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: predictions },
  },
} as const satisfies Endpoint

const ofAccount = z.strictObject({ workspaceId: z.string().optional(), accountId: Id })

/** How the last 50 predictions of an account turned out. */
export const PredictionAccuracy = z
  .strictObject({
    accountId: Id,
    inside: count.describe('So many fell inside their interval'),
    of: count,
    skill: z
      .number()
      .nullable()
      .describe('The part of the error of "always the median" that they save; 0 or less: they are no better'),
  })
  .meta({ id: 'PredictionAccuracy' })
export type PredictionAccuracy = z.infer<typeof PredictionAccuracy>

export const getPredictionAccuracy = {
  method: 'GET',
  url: '/predictions/accuracy',
  config: { gate: { role: 'VIEWER', feature: 'predictions' } },
  schema: {
    operationId: 'getPredictionAccuracy',
    summary: 'How many of the last 50 predictions of an account held',
    tags,
    querystring: ofAccount,
    response: { 200: PredictionAccuracy },
  },
} as const satisfies Endpoint

/** When an account's posts do better than its mean. Slots are named only if they differ by more than chance. */
export const BestTimes = z
  .strictObject({
    accountId: Id,
    timezone: z.string(),
    verdict: z.enum(['slots', 'no_difference', 'too_little_data']),
    have: count.describe('Its measured posts'),
    need,
    slots: z
      .array(
        z.strictObject({
          slot: SlotOfWeek,
          n: z.int(),
          ratio: PredictionReason.shape.ratio,
          low: z.number().describe('The ratio truly is from low to high, four times in five'),
          high: z.number(),
        }),
      )
      .describe('The best first; empty unless the verdict is slots'),
  })
  .meta({ id: 'BestTimes' })
export type BestTimes = z.infer<typeof BestTimes>

export const getBestTimes = {
  method: 'GET',
  url: '/analytics/best-times',
  config: { gate: { role: 'VIEWER', feature: 'analytics' } },
  schema: {
    operationId: 'getBestTimes',
    summary: 'The times at which the posts of an account do better, or why none is named',
    tags,
    querystring: ofAccount,
    response: { 200: BestTimes },
  },
} as const satisfies Endpoint
