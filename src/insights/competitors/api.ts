import * as z from 'zod'
import {
  Empty,
  type Endpoint,
  Id,
  IdParams,
  ListQuery,
  pageOf,
  PageQuery,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'
import { AnalyticsBasis } from '../analytics/api.ts'

const tags = ['Competitors'] as const
const read = { role: 'VIEWER', feature: 'competitors' } as const
const write = { role: 'EDITOR', feature: 'competitors' } as const

/** The maximum number of competitors of a workspace. */
export const MOST_COMPETITORS = 20
/** How many posts of an account a network shows. */
export const SHOWN_POSTS = 25

const count = z.int().nullable()

/** Someone else's account, read once a day. */
export const Competitor = z
  .strictObject({
    id: Id,
    accountId: Id.describe('The account of this workspace that looks the competitor up'),
    platform: Platform,
    username: z.string(),
    name: z.string(),
    followers: count,
    mediaCount: count.describe('Total number of posts'),
    readAt: Timestamp.nullable(),
    nextReadAt: Timestamp,
    error: z
      .string()
      .nullable()
      .describe('Why the last reading failed: not_discoverable, not_connected, or the failure of the network'),
    createdAt: Timestamp,
  })
  .meta({ id: 'Competitor' })
export type Competitor = z.infer<typeof Competitor>

/** Null means that the account hides the count. */
const PublicPost = z.strictObject({
  externalId: z.string(),
  publishedAt: Timestamp,
  caption: z.string().describe('First 300 characters'),
  permalink: z.string().nullable(),
  likes: count,
  comments: count,
})
export type PublicPost = z.infer<typeof PublicPost>

/** What an account showed on a day. */
export const CompetitorSnapshot = z
  .strictObject({
    day: z.iso.date().describe('Day of the reading, in the time zone that the workspace had then'),
    readAt: Timestamp,
    followers: count,
    mediaCount: count,
    posts: z.array(PublicPost).max(SHOWN_POSTS).describe('Newest first'),
  })
  .meta({ id: 'CompetitorSnapshot' })
export type CompetitorSnapshot = z.infer<typeof CompetitorSnapshot>

/** One side of a comparison. */
const Side = z.strictObject({
  competitorId: Id.nullable().describe('Null for the account of this workspace'),
  name: z.string(),
  username: z.string().nullable(),
  followers: count.describe('On the last day of the period with data'),
  followersChange: count.describe('Between the first and the last day of the period with data'),
  posts: z
    .int()
    .describe(
      'Number of posts published in the period that have public counts and were at least three days old when read',
    ),
  interactions: z
    .number()
    .nullable()
    .describe('Median of likes + comments of these posts per 1,000 followers. Null without posts or followers'),
  knownFrom: Timestamp.nullable().describe(
    'Start of the known posts, if earlier posts of the period are unknown. Null if all are known',
  ),
  readAt: Timestamp.nullable(),
})
export type Side = z.infer<typeof Side>

export const CompetitorComparison = z
  .strictObject({
    ours: Side,
    theirs: z.array(Side).describe('Sorted by name'),
    basis: z.strictObject({
      kind: z.literal('posts').describe('Totals of the posts published in the period'),
      coverage: z.number().describe('Share of the period for which the posts of every side are known'),
      gaps: AnalyticsBasis.shape.gaps.describe(
        'Always empty: `knownFrom` and `readAt` of each side tell what is known',
      ),
      provisionalDays: AnalyticsBasis.shape.provisionalDays.describe(
        'Always empty: posts count only from an age of three days on',
      ),
      readAt: Timestamp.nullable().describe('No side was read before this time'),
      nextAt: Timestamp.nullable().describe('Next reading'),
    }),
  })
  .meta({ id: 'CompetitorComparison' })
export type CompetitorComparison = z.infer<typeof CompetitorComparison>

const Days = {
  from: z.iso.date().describe('First day, in the time zone of the workspace'),
  to: z.iso.date().describe('End, exclusive'),
}

export const listCompetitors = {
  method: 'GET',
  url: '/competitors',
  config: { gate: read },
  schema: {
    operationId: 'listCompetitors',
    summary: 'List competitors by name',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(Competitor) },
  },
} as const satisfies Endpoint

export const addCompetitor = {
  method: 'POST',
  url: '/competitors',
  config: { gate: write },
  schema: {
    operationId: 'addCompetitor',
    summary: 'Add a competitor',
    description: 'Looks up the account now, and reads it once a day from then on.',
    tags,
    body: z.strictObject({
      accountId: Id,
      username: z
        .string()
        .trim()
        .transform((name) => name.replace(/^@/, ''))
        .pipe(
          z.stringFormat('username_format', /^[\w.]{1,30}$/, {
            error: 'Must be 1 to 30 letters, digits, dots or underscores',
          }),
        ),
    }),
    response: { 201: Competitor },
  },
} as const satisfies Endpoint

export const getCompetitor = {
  method: 'GET',
  url: '/competitors/:id',
  config: { gate: read },
  schema: {
    operationId: 'getCompetitor',
    summary: 'Get a competitor',
    tags,
    params: IdParams,
    response: { 200: Competitor },
  },
} as const satisfies Endpoint

export const removeCompetitor = {
  method: 'DELETE',
  url: '/competitors/:id',
  config: { gate: write },
  schema: {
    operationId: 'removeCompetitor',
    summary: 'Remove a competitor and delete its data',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const listCompetitorSnapshots = {
  method: 'GET',
  url: '/competitors/:id/snapshots',
  config: { gate: read },
  schema: {
    operationId: 'listCompetitorSnapshots',
    summary: 'List what a competitor showed each day, newest first',
    tags,
    params: IdParams,
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      ...Days,
      ...PageQuery,
    }),
    response: { 200: pageOf(CompetitorSnapshot) },
  },
} as const satisfies Endpoint

export const compareCompetitors = {
  method: 'GET',
  url: '/competitors/comparison',
  config: { gate: read },
  schema: {
    operationId: 'compareCompetitors',
    summary: 'Compare an account with its competitors by public counts',
    tags,
    querystring: z.strictObject({ workspaceId: z.string().optional(), ...Days, accountId: Id }),
    response: { 200: CompetitorComparison },
  },
} as const satisfies Endpoint
