import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, PageQuery, pageOf, Timestamp } from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'

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
    accountId: Id.describe('The account of this workspace that looks it up'),
    platform: Platform,
    username: z.string(),
    name: z.string(),
    followers: count,
    mediaCount: count.describe('All posts that it has'),
    readAt: Timestamp.nullable(),
    nextReadAt: Timestamp,
    error: z
      .string()
      .nullable()
      .describe('Why the last reading told nothing: not_discoverable, not_connected, or the failure of the network'),
    createdAt: Timestamp,
  })
  .meta({ id: 'Competitor' })
export type Competitor = z.infer<typeof Competitor>

/** Null means that the account hides the count. */
const PublicPost = z.strictObject({
  externalId: z.string(),
  publishedAt: Timestamp,
  caption: z.string().describe('Its first 300 characters'),
  permalink: z.string().nullable(),
  likes: count,
  comments: count,
})
export type PublicPost = z.infer<typeof PublicPost>

/** What an account showed on a day. */
export const CompetitorSnapshot = z
  .strictObject({
    day: z.iso.date().describe('In the zone of the workspace at the reading'),
    readAt: Timestamp,
    followers: count,
    mediaCount: count,
    posts: z.array(PublicPost).max(SHOWN_POSTS).describe('The newest first'),
  })
  .meta({ id: 'CompetitorSnapshot' })
export type CompetitorSnapshot = z.infer<typeof CompetitorSnapshot>

/** One side of a comparison. */
const Side = z.strictObject({
  competitorId: Id.nullable().describe('null: the account of this workspace'),
  name: z.string(),
  username: z.string().nullable(),
  followers: count.describe('On the last day of the period that tells it'),
  followersChange: count.describe('From the first to the last day of the period that tell it'),
  posts: z.int().describe('Published in the period, at least three days old when they were read, with public counts'),
  interactions: z
    .number()
    .nullable()
    .describe('The median of likes + comments of these posts, per 1,000 followers; null without a post or followers'),
  knownFrom: Timestamp.nullable().describe('Earlier posts of the period are not known; null: all are'),
  readAt: Timestamp.nullable(),
})
export type Side = z.infer<typeof Side>

export const CompetitorComparison = z
  .strictObject({
    ours: Side,
    theirs: z.array(Side).describe('By name'),
    basis: z.strictObject({
      kind: z.literal('posts').describe('The totals of posts that were published in the period'),
      coverage: z.number().describe('The part of the period whose posts are known on every side'),
      readAt: Timestamp.nullable().describe('No side was read earlier than this'),
      nextAt: Timestamp.nullable().describe('The next reading'),
    }),
  })
  .meta({ id: 'CompetitorComparison' })
export type CompetitorComparison = z.infer<typeof CompetitorComparison>

const FAR = 'A day between 2000-01-01 and 2200-01-01'
const Day = z.iso.date().refine((day) => day >= '2000-01-01' && day < '2200-01-01', { error: FAR })

const Days = {
  from: z.iso.date().describe('The first day, in the zone of the workspace'),
  to: z.iso.date().describe('The day after the last one'),
}

export const listCompetitors = {
  method: 'GET',
  url: '/competitors',
  config: { gate: read },
  schema: {
    operationId: 'listCompetitors',
    summary: 'The accounts of others that are read once a day, by name',
    tags,
    response: { 200: z.strictObject({ data: z.array(Competitor), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint

export const addCompetitor = {
  method: 'POST',
  url: '/competitors',
  config: { gate: write },
  schema: {
    operationId: 'addCompetitor',
    summary: 'Look up an account of somebody else, and read it once a day from now on',
    tags,
    body: z.strictObject({
      accountId: Id,
      username: z
        .string()
        .trim()
        .transform((name) => name.replace(/^@/, ''))
        .pipe(z.string().regex(/^[\w.]{1,30}$/, { error: 'A name of letters, digits, dots and underscores' })),
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
    summary: 'An account of somebody else',
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
    summary: 'Read an account no more, and delete what was read of it',
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
    summary: 'What an account showed on each day, the newest first',
    tags,
    params: IdParams,
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      from: Day.optional().describe('The first day'),
      to: Day.optional().describe('The day after the last one'),
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
    summary: 'An account of this workspace beside those that it looks up, by what the network shows to everybody',
    tags,
    querystring: z.strictObject({ workspaceId: z.string().optional(), ...Days, accountId: Id }),
    response: { 200: CompetitorComparison },
  },
} as const satisfies Endpoint
