import * as z from 'zod'
import {
  Empty,
  type Endpoint,
  Id,
  IdParams,
  NoBody,
  PageQuery,
  pageOf,
  patchOf,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'
import { SlotOfWeek } from '../predictions/api.ts'

const tags = ['A/B tests'] as const
const read = { role: 'VIEWER', feature: 'ab_testing' } as const
const write = { role: 'EDITOR', feature: 'ab_testing' } as const

/** Fewer blocks can hardly show anything. With more, the exact test takes too long. */
const FEWEST_BLOCKS = 8
const MOST_BLOCKS = 20
/** The maximum number of tests of a workspace. */
export const MOST_TESTS = 100

const Trait = z.enum(['topic', 'tone', 'length', 'link', 'question'])
export type Trait = z.infer<typeof Trait>

const TestKind = z.enum(['post', 'reel', 'pictures'])
export type TestKind = z.infer<typeof TestKind>

/** Why a block does not count. */
const DroppedBlock = z.enum(['failed', 'unmeasured', 'moved', 'same'])
export type DroppedBlock = z.infer<typeof DroppedBlock>

const BlockPost = z.strictObject({
  variant: z.enum(['A', 'B']).describe('By the coin of the block'),
  postId: Id.nullable(),
  caption: z.string().nullable(),
  scheduledAt: Timestamp.nullable(),
  publishedAt: Timestamp.nullable(),
})

/** Two posts in consecutive weeks: one is variant A, the other variant B. */
export const ABBlock = z
  .strictObject({
    n: z.int(),
    first: BlockPost,
    second: BlockPost,
    dropped: DroppedBlock.nullable().describe(
      'failed: a post did not go live; unmeasured: it has no figures; moved: its time is another one; same: both have the same trait',
    ),
    ratio: z.number().nullable().describe('The engagement of A by that of B after 7 days; null until the test is done'),
  })
  .meta({ id: 'ABBlock' })
export type ABBlock = z.infer<typeof ABBlock>

const ABResult = z.strictObject({
  verdict: z
    .enum(['A', 'B', 'no_difference', 'too_few_blocks'])
    .describe('The better variant by an exact sign-flip test, two-sided 5 %'),
  n: z.int().describe('The blocks that count'),
  ratio: z.number().nullable().describe('The engagement of A by that of B'),
  low: z.number().nullable().describe('The interval from low to high holds the true ratio with 95 %'),
  high: z.number().nullable(),
  p: z.number().nullable(),
})
export type ABResult = z.infer<typeof ABResult>

/** A test of posts that differ in one trait and share everything else. */
export const ABTest = z
  .strictObject({
    id: Id,
    name: z.string(),
    accountId: Id,
    platform: Platform,
    kind: TestKind,
    slot: SlotOfWeek,
    trait: Trait,
    a: z.string().describe('What variant A is like'),
    b: z.string().describe('What variant B is like'),
    state: z.enum(['draft', 'running', 'done', 'stopped']),
    blocks: z.array(ABBlock),
    result: ABResult.nullable().describe('null until all blocks are in'),
    version: z.int(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    startedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ABTest' })
export type ABTest = z.infer<typeof ABTest>

const name = z.string().trim().min(1).max(80)
const variant = z.string().trim().min(1).max(80)
const blocks = z.int().min(FEWEST_BLOCKS).max(MOST_BLOCKS)

export const NewABTest = z.strictObject({
  name,
  accountId: Id,
  kind: TestKind,
  slot: SlotOfWeek,
  trait: Trait,
  a: variant,
  b: variant,
  blocks,
})
export type NewABTest = z.infer<typeof NewABTest>
export const ABTestPatch = patchOf({ ...NewABTest.omit({ blocks: true }).partial().shape }, ABTest)
export type ABTestPatch = z.infer<typeof ABTestPatch>

export const listABTests = {
  method: 'GET',
  url: '/ab-tests',
  config: { gate: read },
  schema: {
    operationId: 'listABTests',
    summary: 'The tests of posts, the newest first',
    tags,
    querystring: z.strictObject({ workspaceId: z.string().optional(), ...PageQuery }),
    response: { 200: pageOf(ABTest) },
  },
} as const satisfies Endpoint

export const createABTest = {
  method: 'POST',
  url: '/ab-tests',
  config: { gate: write },
  schema: {
    operationId: 'createABTest',
    summary: 'Plan a test; a coin decides in each block which post is variant A',
    tags,
    body: NewABTest,
    response: { 201: ABTest },
  },
} as const satisfies Endpoint

export const getABTest = {
  method: 'GET',
  url: '/ab-tests/:id',
  config: { gate: read },
  schema: {
    operationId: 'getABTest',
    summary: 'A test with its blocks',
    tags,
    params: IdParams,
    response: { 200: ABTest },
  },
} as const satisfies Endpoint

export const updateABTest = {
  method: 'PATCH',
  url: '/ab-tests/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateABTest',
    summary: 'Change a test; after its start only the name. If-Match makes it conditional',
    tags,
    params: IdParams,
    body: ABTestPatch,
    response: { 200: ABTest },
  },
} as const satisfies Endpoint

export const deleteABTest = {
  method: 'DELETE',
  url: '/ab-tests/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteABTest',
    summary: 'Delete a test that does not run; its posts stay',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

export const setABBlock = {
  method: 'PUT',
  url: '/ab-tests/:id/blocks/:n',
  config: { gate: write },
  schema: {
    operationId: 'setABBlock',
    summary: 'Name the posts of a block before they go live; the first one a week before the second',
    tags,
    params: z.object({ id: z.string(), n: z.coerce.number().int() }),
    body: z.strictObject({ firstPostId: Id.nullable().optional(), secondPostId: Id.nullable().optional() }),
    response: { 200: ABBlock },
  },
} as const satisfies Endpoint

const actOf = <Name extends string>(act: Name, operationId: string, summary: string) =>
  ({
    method: 'POST',
    url: `/ab-tests/:id/${act}`,
    config: { gate: write },
    schema: { operationId, summary, tags, params: IdParams, body: NoBody, response: { 200: ABTest } },
  }) as const satisfies Endpoint

export const startABTest = actOf('start', 'startABTest', 'Start a test: from now on only its name can change')
export const stopABTest = actOf('stop', 'stopABTest', 'Stop a test before its end: it never has a result')

export const planABTest = {
  method: 'POST',
  url: '/ab-tests/power',
  config: { gate: read },
  schema: {
    operationId: 'planABTest',
    summary: 'Which differences a test of so many blocks would find on an account',
    tags,
    body: z.strictObject({ accountId: Id, kind: TestKind, blocks }),
    response: {
      200: z.strictObject({
        sigma: z.number().describe('The standard deviation of ln(1 + engagement) of such posts'),
        n: z.int().describe('The posts that it was told from; below 20 it is a usual value'),
        effects: z.array(
          z.strictObject({
            ratio: z.number().describe('One variant has so many times the engagement of the other'),
            power: z.number().describe('The part of such tests that find it'),
          }),
        ),
      }),
    },
  },
} as const satisfies Endpoint
