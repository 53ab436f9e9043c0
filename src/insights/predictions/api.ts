import * as z from 'zod'
import { type Endpoint, Id, IdParams, NoBody, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Predictions'] as const

const HOURS = ['00', '04', '08', '12', '16', '20'] as const
export const SlotOfWeek = z
  .templateLiteral([z.enum(['weekday', 'weekend']), '-', z.enum(HOURS)])
  .describe('The four hours that start at this one, in the time zone of the workspace, such as weekday-08')
export type SlotOfWeek = z.infer<typeof SlotOfWeek>

const Factor = z.enum(['kind', 'topic', 'tone', 'slot', 'length', 'link', 'question'])
export type Factor = z.infer<typeof Factor>

const PredictionReason = z.strictObject({
  factor: Factor,
  value: z.string(),
  ratio: z.number().describe('Engagement of the posts in this group as a multiple of the usual engagement'),
  n: z.int().describe('Number of posts in this group'),
})
export type PredictionReason = z.infer<typeof PredictionReason>

const count = z.int().min(0)

const predicted = {
  low: count.describe('About 80% of such posts are between `low` and `high`'),
  middle: count,
  high: count,
  usual: count.describe('Median of the posts that the prediction is based on'),
  n: z.int().describe('Number of measured posts that the prediction is based on'),
  percentile: z.int().min(0).max(100).describe('Percentage of these posts that are below `middle`'),
  reasons: z
    .array(PredictionReason)
    .describe('What moves the prediction away from the usual value, largest effect first'),
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
    version: z.int().describe('The version of the post that was predicted'),
    ...predicted,
    actual: count.nullable().describe('Engagement by day 7. Null before'),
    madeAt: Timestamp,
  })
  .meta({ id: 'EngagementPrediction' })
export type EngagementPrediction = z.infer<typeof EngagementPrediction>

const need = z.int().describe('Number of measured posts that are needed')

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
    summary: 'List the latest predictions of a post, one per account',
    description: 'Stories have no predictions.',
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
    summary: 'Predict the engagement of the current version of a post',
    description: 'Each version is predicted once per account.',
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
    inside: count.describe('Number of results within the predicted range'),
    of: count,
    skill: z
      .number()
      .nullable()
      .describe(
        'Share of the error of always predicting the median that the predictions avoid. At 0 or less, they are no better',
      ),
  })
  .meta({ id: 'PredictionAccuracy' })
export type PredictionAccuracy = z.infer<typeof PredictionAccuracy>

export const getPredictionAccuracy = {
  method: 'GET',
  url: '/predictions/accuracy',
  config: { gate: { role: 'VIEWER', feature: 'predictions' } },
  schema: {
    operationId: 'getPredictionAccuracy',
    summary: 'Get the accuracy of an account’s last 50 predictions',
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
    have: count.describe('Number of measured posts'),
    need,
    slots: z
      .array(
        z.strictObject({
          slot: SlotOfWeek,
          n: z.int(),
          ratio: PredictionReason.shape.ratio,
          low: z.number().describe('In four of five cases, the true ratio is between `low` and `high`'),
          high: z.number(),
        }),
      )
      .describe('Best first. Empty unless `verdict` is `slots`'),
  })
  .meta({ id: 'BestTimes' })
export type BestTimes = z.infer<typeof BestTimes>

export const getBestTimes = {
  method: 'GET',
  url: '/analytics/best-times',
  config: { gate: { role: 'VIEWER', feature: 'analytics' } },
  schema: {
    operationId: 'getBestTimes',
    summary: 'Get the times of the week when an account’s posts do better',
    description: 'If no times are named, `verdict` says why.',
    tags,
    querystring: ofAccount,
    response: { 200: BestTimes },
  },
} as const satisfies Endpoint
