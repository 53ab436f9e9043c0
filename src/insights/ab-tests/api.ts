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
const DroppedBlock = z.enum(['failed', 'unmeasured', 'moved', 'other_kind', 'same'])
export type DroppedBlock = z.infer<typeof DroppedBlock>

const BlockPost = z.strictObject({
  variant: z.enum(['A', 'B']).describe('Assigned at random in each block'),
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
      '`failed`: a post wasn’t published. `unmeasured`: a post has no metrics. `moved`: a post went out at another time. `other_kind`: a post isn’t of the tested type. `same`: both posts have the same trait',
    ),
    ratio: z
      .number()
      .nullable()
      .describe('Engagement of A divided by that of B after 7 days. Null until the test is done'),
  })
  .meta({ id: 'ABBlock' })
export type ABBlock = z.infer<typeof ABBlock>

const ABResult = z.strictObject({
  verdict: z
    .enum(['A', 'B', 'no_difference', 'too_few_blocks'])
    .describe('The better variant by an exact two-sided sign-flip test at the 5% level'),
  n: z.int().describe('Number of blocks that count'),
  ratio: z.number().nullable().describe('Engagement of A divided by that of B'),
  low: z.number().nullable().describe('The 95% confidence interval of the ratio is from `low` to `high`'),
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
    a: z.string().describe('Description of variant A'),
    b: z.string().describe('Description of variant B'),
    state: z.enum(['draft', 'running', 'done', 'stopped']),
    blocks: z.array(ABBlock),
    result: ABResult.nullable().describe('Null until all blocks are measured'),
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

const ABBlockChange = patchOf(
  { firstPostId: Id.nullable().optional(), secondPostId: Id.nullable().optional() },
  ABBlock,
)
export type ABBlockChange = z.infer<typeof ABBlockChange>

export const listABTests = {
  method: 'GET',
  url: '/ab-tests',
  config: { gate: read },
  schema: {
    operationId: 'listABTests',
    summary: 'List A/B tests, newest first',
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
    summary: 'Create an A/B test',
    description: 'In each block, chance decides which post is variant A.',
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
    summary: 'Get an A/B test with its blocks',
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
    summary: 'Update an A/B test (supports If-Match)',
    description: 'Once the test has started or has posts, only its name can be changed.',
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
    summary: 'Delete an A/B test that isn’t running; its posts stay',
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
    summary: 'Set the posts of a block before they go live',
    description: 'The second post must go out in the week after the first.',
    tags,
    params: z.object({ id: z.string(), n: z.coerce.number().int() }),
    body: ABBlockChange,
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

export const startABTest = actOf('start', 'startABTest', 'Start an A/B test; then only its name and posts can change')
export const stopABTest = actOf('stop', 'stopABTest', 'Stop an A/B test early, without a result')

export const planABTest = {
  method: 'POST',
  url: '/ab-tests/power',
  config: { gate: read },
  schema: {
    operationId: 'planABTest',
    summary: 'Get the differences that a planned A/B test can detect',
    tags,
    body: z.strictObject({ accountId: Id, kind: TestKind, blocks }),
    response: {
      200: z.strictObject({
        sigma: z.number().describe('Standard deviation of ln(1 + engagement) of such posts'),
        n: z.int().describe('Number of posts that `sigma` is based on. Below 20, `sigma` is a typical value'),
        effects: z.array(
          z.strictObject({
            ratio: z.number().describe('Engagement of one variant as a multiple of the other'),
            power: z.number().describe('Share of such tests that detect this difference'),
          }),
        ),
      }),
    },
  },
} as const satisfies Endpoint
