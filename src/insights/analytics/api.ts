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
  to: Day.describe('End, exclusive'),
  accountId: Id.optional(),
  platform: Platform.optional(),
  compare: z
    .literal('previous')
    .optional()
    .describe('Only the overview compares with the previous period. The others ignore it'),
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
      .describe('`activity`: what happened in the period. `posts`: totals of the posts published in it'),
    coverage: share.describe(
      'Share of the data that is known: of the accounts’ days, or of the posts. Null if there is none',
    ),
    gaps: z
      .array(
        z.strictObject({
          accountId: Id,
          day: Day.describe('First day of the gap'),
          days: z.int().describe('Number of days in a row'),
          metric: z.enum(DAY_METRICS),
          reason: GapReason.describe(
            '`not_yet`: the network reports it later. `not_read`: the day is from before the account was read. `not_told`: the network responded without it',
          ),
        }),
      )
      .describe('Empty for a CLIENT'),
    provisionalDays: z.array(Day).describe('Days whose metrics may still change'),
    readAt: Timestamp.nullable().describe('No number was read before this time. Null before the first reading'),
    nextAt: Timestamp.nullable().describe('Next reading. Null if none is planned'),
  })
  .meta({ id: 'AnalyticsBasis' })
export type AnalyticsBasis = z.infer<typeof AnalyticsBasis>

const sum = {
  value: whole.describe('Sum over all days and accounts that report it. Null if there is none'),
  perDay: share.describe('Sum of the accounts’ daily averages'),
  days: z
    .int()
    .describe(
      'Days that no account lacks. An account counts from its first day in the period, and until its last if it isn’t connected',
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
          .describe(
            '`day`: the daily average. `week` and `four_weeks`: windows of the network that end with the period',
          ),
        days: z.int(),
      })
      .describe('People reached by one account. Reach is never added up'),
    followers: z.strictObject({
      value: whole.describe('Followers of each account on its last known day, added up'),
      gained: whole.describe('Followers that each account gained since its first day, added up'),
      since: Day.nullable().describe('First day of all accounts. Null if it differs between them'),
      days: z.int(),
    }),
    rate: z
      .strictObject({
        value: share.describe('Engagement divided by the divisor'),
        divisor: z.enum(['impressions', 'followers']),
        of: whole.describe('Value of the divisor'),
        days: z.int(),
      })
      .describe('Over the days with data for both'),
  })
  .meta({ id: 'AnalyticsTotals' })
export type AnalyticsTotals = z.infer<typeof AnalyticsTotals>

const FigureChange = z
  .strictObject({
    impressions: share,
    engagement: share,
    reach: share,
    followers: share,
    rate: share.describe('Difference between the two rates, not their ratio'),
  })
  .nullable()
  .describe(
    'Change of the daily values from the previous period: 0.12 is 12% more. Compares the accounts that have at least 80% of the days in both periods. Null if there are none',
  )
export type FigureChange = NonNullable<z.infer<typeof FigureChange>>

const counted = z.strictObject({ accounts: z.int(), of: z.int() })
const ComparedAccounts = z
  .strictObject({ impressions: counted, engagement: counted, reach: counted, followers: counted, rate: counted })
  .nullable()
  .optional()
  .describe(
    'Number of accounts that a change compares, of those that report the metric. A change from 0 is null even so. Missing in older reports',
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
    .describe('Engagement divided by impressions, for accounts that report both. Missing in older reports'),
})
export type AccountDayFigures = z.infer<typeof AccountDayFigures>

/** The progress of an account's first reading. */
const FirstReading = z.strictObject({
  hasDays: z.boolean().describe('Whether its days were read'),
  hasPosts: z.boolean().describe('Whether all of its posts were listed'),
  postsSince: Timestamp.nullable().describe('Time of the oldest post listed so far'),
})
export type FirstReading = z.infer<typeof FirstReading>

const dayOf = Day.nullable()
const CountsFrom = z
  .strictObject({ impressions: dayOf, engagement: dayOf, reach: dayOf, followers: dayOf, rate: dayOf })
  .optional()
  .describe('First day on which the account counts in each sum. Null if it never does. Missing in older reports')

export const AnalyticsOverview = z
  .strictObject({
    days: z.int().describe('Number of days in the period'),
    ...compared,
    previousPeriod: z
      .strictObject({ from: Day, to: Day })
      .nullable()
      .describe('Has the same length and is whole weeks earlier, so that weekdays match'),
    byPlatform: z.array(z.strictObject({ platform: Platform, ...compared })).describe('Empty for a CLIENT'),
    byAccount: z
      .array(
        z.strictObject({
          accountId: Id,
          name: z.string(),
          platform: Platform,
          readAt: Timestamp.nullable().describe('Last reading of its days. Null before the first'),
          nextAt: Timestamp.nullable().describe('Next reading. Null if none is planned'),
          state: z
            .enum(['read', 'failing', 'not_connected'])
            .describe('`failing`: the last reading failed, so the metrics are from an earlier one'),
          firstReading: FirstReading.nullable().describe('Null once the last 90 days were read'),
          countsFrom: CountsFrom,
          ...compared,
        }),
      )
      .describe('Empty for a CLIENT'),
    series: z
      .array(AccountDayFigures.extend({ previous: AccountDayFigures.nullable() }))
      .describe('One entry per day, oldest first. Null values are gaps. Empty for a CLIENT'),
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
    summary: 'Get account metrics for a period, by day and by network',
    tags,
    querystring: Period,
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
  postId: Id.nullable().describe('ID of the post in Parley. Null if it was published elsewhere'),
  thumbnailUrl: z.string().nullable(),
  views: whole.describe('Number of times the post was shown, or its video was played if the network reports only that'),
  rate: share.describe('Engagement divided by the `divisor` of the list'),
  againstMedian: share.describe(
    'The metric that the list is sorted by (`views` with `publishedAt` and `rate`), divided by its median for the same account and kind at the same age. Null with fewer than 5 other posts',
  ),
}).meta({ id: 'RankedPost' })
export type RankedPost = z.infer<typeof RankedPost>

export const listAnalyticsPosts = {
  method: 'GET',
  url: '/analytics/posts',
  config: { gate: reader },
  schema: {
    operationId: 'listAnalyticsPosts',
    summary: 'List the posts published in a period with their metrics, newest first or highest first',
    description: 'Metrics are totals to date, or those at the same age with `at`.',
    tags,
    querystring: Period.extend({
      at: PostAge.optional().describe(
        'Uses the first reading within 24 hours after this age. Leaves out posts without one. Default: totals to date',
      ),
      sort: PostSort.default('publishedAt'),
      text: z.string().max(200).optional().describe('Text in the caption'),
      ...PageQuery,
    }),
    response: {
      200: z.strictObject({
        data: z.array(RankedPost),
        nextCursor: z.string().nullable(),
        count: z.int().describe('Total number of posts in the list'),
        leftOut: z.int().describe('Number of posts left out because they have no reading at this age'),
        divisor: Divisor.nullable().describe(
          'Divisor of every rate: the first of reach, views and followers that every network in the list reports. A post without it has no rate',
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
      .describe('Last reading of each day'),
    kindMedian: z
      .array(z.strictObject({ ageHours: z.int(), n: z.int(), ...medians }))
      .describe('Medians of the other posts of this account and kind, at ages for which at least 5 of them have data'),
    percentile: z
      .strictObject({ value: z.int(), ageHours: z.int(), n: z.int() })
      .nullable()
      .describe('Percentage of those posts that had less engagement at this age'),
    reasons: z
      .array(
        z.strictObject({
          metric: z.enum(CURVE_METRICS),
          ratio: z.number().describe('Value of the post divided by the median'),
          ageHours: z.int(),
          n: z.int(),
        }),
      )
      .describe('Where the post differs most from the median at the same age, largest difference first'),
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
    summary: 'Compare the metrics of a post with the median of its kind',
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
      .describe('Median engagement as a multiple of the median for the same account and kind: 1.4 is 40% more'),
  })
  .meta({ id: 'HourCell' })
export type HourCell = z.infer<typeof HourCell>

export const listAnalyticsHours = {
  method: 'GET',
  url: '/analytics/hours',
  config: { gate: reader },
  schema: {
    operationId: 'listAnalyticsHours',
    summary: 'List engagement by weekday and hour of publishing',
    description: 'Compares posts at the same age. It doesn’t recommend times.',
    tags,
    querystring: Period.extend({
      at: PostAge.default('7d').describe('Uses the first reading from this age on, however late it is'),
    }),
    response: {
      200: z.strictObject({
        data: z.array(HourCell).describe('Hours with at least one post'),
        nextCursor: z.null(),
        count: z.int(),
        leftOut: z
          .int()
          .describe('Number of posts left out because they have no reading at this age, or no known engagement'),
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
    n: z.int().describe('Number of its posts with known engagement'),
    median: share.describe(
      'Median rate of its posts: engagement divided by the `divisor` of the list. Null if no post reports both',
    ),
    estimate: z
      .number()
      .describe(
        'Engagement of its posts as a multiple of what is usual for their account and kind. The fewer posts there are, the closer the value is drawn to 1',
      ),
    isFew: z.boolean().describe('Whether there are fewer than 5 posts, too few for a conclusion'),
  })
  .meta({ id: 'TagGroup' })
export type TagGroup = z.infer<typeof TagGroup>

export const TagGroups = z
  .strictObject({
    data: z
      .array(TagGroup)
      .describe('Highest estimate first, groups with few posts last. At most 200, of the 20,000 newest posts'),
    nextCursor: z.null(),
    count: z.int().describe('Number of posts in the period with known engagement'),
    untagged: z.int().describe('Number of the 20,000 newest of these posts that are in no group'),
    leftOut: z
      .int()
      .describe('Number of posts left out because they have no known engagement, or no reading at this age'),
    divisor: Divisor.nullable().describe(
      'Divisor of every median: the first of reach, views and followers that every network in the list reports. A post without it has no rate',
    ),
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
    summary: 'Compare posts by topic, format, tone, hashtag or label',
    description: 'Compares the posts that were published in the period.',
    tags,
    querystring: Period.extend({
      by: TagDimension,
      at: PostAge.optional().describe('Compares posts at this age. Default: totals to date'),
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
    summary: 'Export the posts or days of a period as CSV, oldest first',
    description: 'Values that the network doesn’t report are empty.',
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
    additive: z.boolean().describe('Whether values can be added up over days or posts'),
    sources: z.array(
      z.strictObject({
        platform: Platform,
        kind: z.enum(['post', 'reel', 'story', 'pictures']).nullable().describe('Null for every kind of post'),
        name: z.string().describe('The network’s own name for the metric'),
        delayHours: z.number().describe('Longest time in hours until the network reports the value'),
        isDifference: z
          .boolean()
          .describe(
            'Whether a day is the difference between two readings, because the network reports no daily values',
          ),
      }),
    ),
    missing: z
      .array(z.strictObject({ platform: Platform, kind: z.enum(['post', 'reel', 'story', 'pictures']).nullable() }))
      .describe('Networks and kinds of posts for which the metric isn’t reported'),
  })
  .meta({ id: 'MetricEntry' })
export type MetricEntry = z.infer<typeof MetricEntry>

export const listMetrics = {
  method: 'GET',
  url: '/analytics/metrics',
  config: { gate: { ...reader, client: true } },
  schema: {
    operationId: 'listMetrics',
    summary: 'List metrics with their definitions and sources',
    tags,
    response: { 200: z.strictObject({ data: z.array(MetricEntry), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint
