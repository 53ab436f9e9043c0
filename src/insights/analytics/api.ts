import * as z from 'zod'
import { type Endpoint, Id, IdParams, PageQuery, Timestamp } from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'
import { MeasuredPost } from '../metrics/api.ts'

const tags = ['Analytics'] as const
const reader = { role: 'VIEWER', feature: 'analytics' } as const

const Day = z.iso.date()
const whole = z.int().nullable()
const share = z.number().nullable()

/** Days in the workspace's time zone, at most 366. The end is exclusive. */
const period = {
  workspaceId: z.string().optional(),
  from: Day,
  to: Day.describe('The day after the last one'),
  accountId: Id.optional(),
  platform: Platform.optional(),
}
const Period = z.strictObject(period)
export type Period = Omit<z.infer<typeof Period>, 'workspaceId'>

/** The daily figures of an account. */
export const DAY_METRICS = ['impressions', 'engagement', 'reach', 'followers'] as const
export type DayMetric = (typeof DAY_METRICS)[number]

/** The ages at which posts are compared. */
export const POST_AGES = ['1d', '7d', '30d'] as const
const PostAge = z.enum(POST_AGES)
export type PostAge = z.infer<typeof PostAge>

const GapReason = z.enum(['not_yet', 'not_read', 'not_told', 'network_error'])

/** What the numbers of an answer are based on. */
export const AnalyticsBasis = z
  .strictObject({
    kind: z
      .enum(['activity', 'posts'])
      .describe('activity: what happened in the period; posts: the totals of the posts that were published in it'),
    coverage: share.describe('The part that is known: of the days of accounts, or of the posts. Null: there is none'),
    gaps: z
      .array(
        z.strictObject({
          accountId: Id,
          day: Day.describe('The first day'),
          days: z.int().describe('How many days in a row'),
          metric: z.enum(DAY_METRICS),
          reason: GapReason.describe(
            'not_yet: the network tells it later; not_read: from before the account was read; not_told: the network answered without it',
          ),
        }),
      )
      .describe('Empty to a CLIENT'),
    provisionalDays: z.array(Day).describe('Days whose figures may still change'),
    readAt: Timestamp.nullable().describe('No number was read earlier than this; null before the first reading'),
    nextAt: Timestamp.nullable().describe('The next reading; null: none is planned'),
  })
  .meta({ id: 'AnalyticsBasis' })
export type AnalyticsBasis = z.infer<typeof AnalyticsBasis>

const sum = {
  value: whole.describe('The sum of all days and accounts that tell it; null: there is none'),
  perDay: share.describe('The sum of the daily means of the accounts'),
  days: z
    .int()
    .describe(
      'Days that no account lacks. An account counts from its first day in the period; until its last, if it is not connected',
    ),
}

/** The key figures of a period. */
export const AnalyticsTotals = z
  .strictObject({
    impressions: z.strictObject(sum),
    engagement: z.strictObject(sum),
    reach: z
      .strictObject({
        value: whole,
        over: z
          .enum(['day', 'week', 'four_weeks'])
          .describe('day: the daily mean; the others are windows of the network that end with the period'),
        days: z.int(),
      })
      .describe('People of one account: reach is never added up'),
    followers: z.strictObject({
      value: whole.describe('Of each account on the last day that is known'),
      gained: whole.describe('Of each account since its first day'),
      since: Day.nullable().describe('That day; null: the days of the accounts differ'),
      days: z.int(),
    }),
    rate: z
      .strictObject({
        value: share.describe('Engagement by its divisor'),
        divisor: z.enum(['impressions', 'followers']),
        of: whole.describe('The divisor'),
        days: z.int(),
      })
      .describe('Over the days on which both are known'),
  })
  .meta({ id: 'AnalyticsTotals' })
export type AnalyticsTotals = z.infer<typeof AnalyticsTotals>

const FigureChange = z
  .strictObject({
    impressions: share,
    engagement: share,
    reach: share,
    followers: share,
    rate: share.describe('In points: the difference of the two rates'),
  })
  .nullable()
  .describe(
    'Against the previous period, by day: 0.12 is 12 % more. The same accounts on both sides, those with 80 % of the days on each; null without any',
  )
export type FigureChange = NonNullable<z.infer<typeof FigureChange>>

const counted = z.strictObject({ accounts: z.int(), of: z.int() })
const ComparedAccounts = z
  .strictObject({ impressions: counted, engagement: counted, reach: counted, followers: counted, rate: counted })
  .nullable()
  .optional()
  .describe(
    'How many accounts a change compares, of those that tell the figure. A change from 0 is null all the same. Missing in older reports',
  )
export type ComparedAccounts = NonNullable<z.infer<typeof ComparedAccounts>>

const compared = {
  totals: AnalyticsTotals,
  previous: AnalyticsTotals.nullable(),
  change: FigureChange,
  compared: ComparedAccounts,
}

const AccountDayFigures = z.strictObject({
  day: Day,
  ...(Object.fromEntries(DAY_METRICS.map((metric) => [metric, whole])) as Record<DayMetric, typeof whole>),
  rate: share
    .optional()
    .describe('Engagement by impressions, of the accounts that tell both. Missing in older reports'),
})
export type AccountDayFigures = z.infer<typeof AccountDayFigures>

/** The progress of an account's first reading. */
const FirstReading = z.strictObject({
  hasDays: z.boolean().describe('Its days were read'),
  hasPosts: z.boolean().describe('All of its posts were listed'),
  postsSince: Timestamp.nullable().describe('The oldest post that was listed so far'),
})
export type FirstReading = z.infer<typeof FirstReading>

const dayOf = Day.nullable()
const CountsFrom = z
  .strictObject({ impressions: dayOf, engagement: dayOf, reach: dayOf, followers: dayOf, rate: dayOf })
  .optional()
  .describe('The day from which on the account counts in each sum; null: never. Missing in older reports')

export const AnalyticsOverview = z
  .strictObject({
    days: z.int().describe('Days of the period'),
    ...compared,
    previousPeriod: z
      .strictObject({ from: Day, to: Day })
      .nullable()
      .describe('As long, and whole weeks earlier, so that weekdays meet their like'),
    byPlatform: z.array(z.strictObject({ platform: Platform, ...compared })).describe('Empty to a CLIENT'),
    byAccount: z
      .array(
        z.strictObject({
          accountId: Id,
          name: z.string(),
          platform: Platform,
          readAt: Timestamp.nullable().describe('The last reading of its days; null before the first'),
          nextAt: Timestamp.nullable().describe('The next reading; null: none is planned'),
          state: z
            .enum(['read', 'failing', 'not_connected'])
            .describe('failing: the last reading failed, and its figures are those of one before'),
          firstReading: FirstReading.nullable().describe('Null: the last 90 days were read'),
          countsFrom: CountsFrom,
          ...compared,
        }),
      )
      .describe('Empty to a CLIENT'),
    series: z
      .array(AccountDayFigures.extend({ previous: AccountDayFigures.nullable() }))
      .describe('By day, the oldest first: null is a gap. Empty to a CLIENT'),
    basis: AnalyticsBasis,
  })
  .meta({ id: 'AnalyticsOverview' })
export type AnalyticsOverview = z.infer<typeof AnalyticsOverview>

export const getAnalyticsOverview = {
  method: 'GET',
  url: '/analytics/overview',
  config: { gate: { ...reader, client: true } },
  schema: {
    operationId: 'getAnalyticsOverview',
    summary: 'What happened on the accounts in a period, by day and by network',
    tags,
    querystring: Period.extend({ compare: z.literal('previous').optional() }),
    response: { 200: AnalyticsOverview },
  },
} as const satisfies Endpoint

/** The divisor of a rate. */
const Divisor = z.enum(['reach', 'views', 'followers'])
export type Divisor = z.infer<typeof Divisor>

/** The figures by which posts are ranked, highest first. */
export const POST_SORTS = [
  'publishedAt',
  'views',
  'reach',
  'engagement',
  'rate',
  'likes',
  'comments',
  'shares',
  'saves',
] as const
const PostSort = z.enum(POST_SORTS)
export type PostSort = z.infer<typeof PostSort>

/** A post of a period, with its totals to date or at an age. */
export const RankedPost = MeasuredPost.extend({
  postId: Id.nullable().describe('The post here; null: made elsewhere'),
  thumbnailUrl: z.string().nullable(),
  views: whole.describe('How often it was shown, or its video played where the network tells only that'),
  rate: share.describe('Engagement by the divisor of the list'),
  againstMedian: share.describe(
    'The figure of the order by the median of the same account and kind, at equal age; null with less than 5 other posts',
  ),
}).meta({ id: 'RankedPost' })
export type RankedPost = z.infer<typeof RankedPost>

export const listAnalyticsPosts = {
  method: 'GET',
  url: '/analytics/posts',
  config: { gate: reader },
  schema: {
    operationId: 'listAnalyticsPosts',
    summary: 'The posts that were published in a period, with totals until now or at equal age',
    tags,
    querystring: Period.extend({
      at: PostAge.optional().describe(
        'By the first reading within 24 hours after this age. A post without one is left out',
      ),
      sort: PostSort.default('views'),
      text: z.string().max(200).optional().describe('In the caption'),
      ...PageQuery,
    }),
    response: {
      200: z.strictObject({
        data: z.array(RankedPost),
        nextCursor: z.string().nullable(),
        count: z.int().describe('Posts of the whole list'),
        leftOut: z.int().describe('Posts without a reading at this age'),
        divisor: Divisor.nullable().describe(
          'Of every rate of the list: what all of its posts tell, the first of these',
        ),
        basis: AnalyticsBasis,
      }),
    },
  },
} as const satisfies Endpoint

/** The figures in which a post is compared with others of its kind. */
export const CURVE_METRICS = ['views', 'reach', 'engagement', 'likes', 'comments', 'shares', 'saves'] as const
export type CurveMetric = (typeof CURVE_METRICS)[number]
const curveValues = Object.fromEntries(CURVE_METRICS.map((metric) => [metric, whole])) as Record<
  CurveMetric,
  typeof whole
>
const medians = Object.fromEntries(CURVE_METRICS.map((metric) => [metric, share])) as Record<CurveMetric, typeof share>

export const PostAnalysis = z
  .strictObject({
    post: RankedPost.omit({ rate: true, againstMedian: true }),
    curve: z
      .array(z.strictObject({ day: Day, readAt: Timestamp, ageHours: z.number(), ...curveValues }))
      .describe('The last reading of each day'),
    kindMedian: z
      .array(z.strictObject({ ageHours: z.int(), n: z.int(), ...medians }))
      .describe('Medians of the other posts of this account and kind, at ages that at least 5 of them have'),
    percentile: z
      .strictObject({ value: z.int(), ageHours: z.int(), n: z.int() })
      .nullable()
      .describe('The share of those posts that had less engagement at this age, in percent'),
    reasons: z
      .array(
        z.strictObject({
          metric: z.enum(CURVE_METRICS),
          ratio: z.number().describe('Its value by the median'),
          ageHours: z.int(),
          n: z.int(),
        }),
      )
      .describe('Where it differs most from the median at equal age, the largest difference first'),
    basis: AnalyticsBasis,
  })
  .meta({ id: 'PostAnalysis' })
export type PostAnalysis = z.infer<typeof PostAnalysis>

export const getAnalyticsPost = {
  method: 'GET',
  url: '/analytics/posts/:id',
  config: { gate: reader },
  schema: {
    operationId: 'getAnalyticsPost',
    summary: 'A measured post: its curve against the median of its kind',
    tags,
    params: IdParams,
    response: { 200: PostAnalysis },
  },
} as const satisfies Endpoint

/** The posts of one hour of one weekday. */
export const HourCell = z
  .strictObject({
    weekday: z.int().describe('1 is Monday'),
    hour: z.int(),
    n: z.int(),
    median: z
      .number()
      .nullable()
      .describe('Of engagement as a multiple of the median of the same account and kind: 1.4 is 40 % more'),
  })
  .meta({ id: 'HourCell' })
export type HourCell = z.infer<typeof HourCell>

export const listAnalyticsHours = {
  method: 'GET',
  url: '/analytics/hours',
  config: { gate: reader },
  schema: {
    operationId: 'listAnalyticsHours',
    summary: 'Posts by weekday and hour of publishing, at equal age. It names no best time',
    tags,
    querystring: Period.extend({
      at: PostAge.default('7d').describe('By the first reading from this age on, however late it is'),
    }),
    response: {
      200: z.strictObject({
        data: z.array(HourCell).describe('Hours with a post'),
        nextCursor: z.null(),
        count: z.int(),
        leftOut: z.int().describe('Posts without a reading at this age, or without a known engagement'),
        basis: AnalyticsBasis,
      }),
    },
  },
} as const satisfies Endpoint

/** The tags by which posts are grouped. */
export const TAG_DIMENSIONS = ['topic', 'format', 'tone', 'hashtag', 'label'] as const
const TagDimension = z.enum(TAG_DIMENSIONS)
export type TagDimension = z.infer<typeof TagDimension>

/** The posts of one topic, format, tone, hashtag or label. */
export const TagGroup = z
  .strictObject({
    value: z.string(),
    n: z.int().describe('Its posts with a known engagement'),
    median: share.describe('Of their rates: engagement by the divisor of the list. Null: none of them tells both'),
    estimate: z
      .number()
      .describe(
        'Its posts have so many times the usual engagement of their account and kind. Drawn towards 1: the more, the fewer posts it has',
      ),
    isFew: z.boolean().describe('With less than 5 posts nothing is said of it'),
  })
  .meta({ id: 'TagGroup' })
export type TagGroup = z.infer<typeof TagGroup>

export const TagGroups = z
  .strictObject({
    data: z.array(TagGroup).describe('The highest estimate first, those with few posts last; 200 at most'),
    nextCursor: z.null(),
    count: z.int().describe('Posts of the period with a known engagement'),
    untagged: z.int().describe('Those of them that are in no group'),
    leftOut: z.int().describe('Posts without a known engagement, or without a reading at this age'),
    divisor: Divisor.nullable().describe('Of every median of the list: what all of its posts tell, the first of these'),
    basis: AnalyticsBasis,
  })
  .meta({ id: 'TagGroups' })
export type TagGroups = z.infer<typeof TagGroups>

export const listAnalyticsTags = {
  method: 'GET',
  url: '/analytics/tags',
  config: { gate: reader },
  schema: {
    operationId: 'listAnalyticsTags',
    summary: 'Which topics, formats, tones, hashtags or labels do better, by the posts that were published in a period',
    tags,
    querystring: Period.extend({
      by: TagDimension,
      at: PostAge.optional().describe('At equal age. Otherwise by the totals until now'),
    }),
    response: { 200: TagGroups },
  },
} as const satisfies Endpoint

export const exportAnalytics = {
  method: 'GET',
  url: '/analytics/export',
  config: { gate: reader },
  schema: {
    operationId: 'exportAnalytics',
    summary: 'The posts or the days of a period as CSV, oldest first. What a network does not tell is empty',
    tags,
    querystring: Period.extend({ of: z.enum(['posts', 'days']) }),
    produces: ['text/csv'],
    response: { 200: z.string() },
  },
} as const satisfies Endpoint

/** What a figure is, and where it comes from. */
export const MetricEntry = z
  .strictObject({
    basis: z.enum(['activity', 'posts']),
    metric: z.string(),
    sentence: z.string(),
    additive: z.boolean().describe('Whether it may be added up, over days or over posts'),
    sources: z.array(
      z.strictObject({
        platform: Platform,
        kind: z.enum(['post', 'reel', 'story', 'pictures']).nullable().describe('null: every kind of post'),
        name: z.string().describe("The network's own name"),
        delayHours: z.number().describe('The network tells it so much later at most'),
        isDifference: z
          .boolean()
          .describe('The network has no days: what happened in one is the difference of two readings'),
      }),
    ),
    missing: z
      .array(z.strictObject({ platform: Platform, kind: z.enum(['post', 'reel', 'story', 'pictures']).nullable() }))
      .describe('Where no network tells it'),
  })
  .meta({ id: 'MetricEntry' })
export type MetricEntry = z.infer<typeof MetricEntry>

export const listMetrics = {
  method: 'GET',
  url: '/analytics/metrics',
  config: { gate: { ...reader, client: true } },
  schema: {
    operationId: 'listMetrics',
    summary: 'What each figure is, and where it comes from',
    tags,
    response: { 200: z.strictObject({ data: z.array(MetricEntry), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint
