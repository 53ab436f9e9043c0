import * as z from 'zod'
import {
  Empty,
  type Endpoint,
  Id,
  IdParams,
  ListQuery,
  pageOf,
  patchOf,
  Timestamp,
} from '../../../core/http/endpoint.ts'

const tags = ['Audience'] as const
const read = { role: 'VIEWER', feature: 'audience' } as const
const write = { role: 'EDITOR', feature: 'audience' } as const

/** The maximum number of segments of a workspace. */
export const MOST_SEGMENTS = 100

export const SEGMENT_FIELDS = [
  'name',
  'username',
  'language',
  'tag',
  'network',
  'engagement',
  'daysSilent',
  'lastSeen',
  'firstSeen',
] as const
export const SEGMENT_OPS = ['is', 'contains', 'atLeast', 'atMost', 'before'] as const

const Leaf = z
  .strictObject({
    field: z.enum(SEGMENT_FIELDS),
    op: z.enum(SEGMENT_OPS),
    value: z.union([z.string().min(1).max(100), z.number()]),
  })
  .meta({ id: 'SegmentCondition' })
export type SegmentCondition = z.infer<typeof Leaf>

export type SegmentFilter = SegmentCondition | { all: SegmentFilter[] } | { any: SegmentFilter[] }

/** A condition or a group. `all` requires every part to hold, `any` at least one. */
const orGroup = (part: z.ZodType<SegmentFilter>): z.ZodType<SegmentFilter> =>
  z.union([
    Leaf,
    z.strictObject({ all: z.array(part).min(1).max(50) }),
    z.strictObject({ any: z.array(part).min(1).max(50) }),
  ])

/** At most 5 levels, each spelled out, because API clients cannot follow a recursive description. */
export const SegmentFilter = orGroup(orGroup(orGroup(orGroup(Leaf)))).meta({
  id: 'SegmentFilter',
  description: 'At most 5 levels and 50 conditions',
})

const writable = {
  name: z.string().trim().min(1).max(80),
  filter: SegmentFilter,
}

/** A group of customers. */
export const AudienceSegment = z
  .strictObject({
    id: Id,
    ...writable,
    count: z
      .int()
      .nullable()
      .describe('Number of customers at `countedAt`, at most 10,000. Null before the first count'),
    more: z.boolean().describe('Whether there were more customers than `count`'),
    countedAt: Timestamp.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    version: z.int(),
  })
  .meta({ id: 'AudienceSegment' })
export type AudienceSegment = z.infer<typeof AudienceSegment>

const NewSegment = z.strictObject(writable)
export type NewSegment = z.infer<typeof NewSegment>
const SegmentPatch = patchOf({ name: writable.name.optional(), filter: writable.filter.optional() }, AudienceSegment)
export type SegmentPatch = z.infer<typeof SegmentPatch>

const SegmentCount = z.strictObject({
  count: z.int().nullable().describe('At most 10,000. Null if counting took longer than a second'),
  more: z.boolean(),
})
export type SegmentCount = z.infer<typeof SegmentCount>

export const listSegments = {
  method: 'GET',
  url: '/audience/segments',
  config: { gate: read },
  schema: {
    operationId: 'listSegments',
    summary: 'List segments by name, each with its last count',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(AudienceSegment) },
  },
} as const satisfies Endpoint

export const createSegment = {
  method: 'POST',
  url: '/audience/segments',
  config: { gate: write },
  schema: {
    operationId: 'createSegment',
    summary: 'Create a segment',
    tags,
    body: NewSegment,
    response: { 201: AudienceSegment },
  },
} as const satisfies Endpoint

export const countSegment = {
  method: 'POST',
  url: '/audience/segments/count',
  config: { gate: read },
  schema: {
    operationId: 'countSegment',
    summary: 'Count the customers that match a filter, without saving it',
    tags,
    body: z.strictObject({ filter: SegmentFilter }),
    response: { 200: SegmentCount },
  },
} as const satisfies Endpoint

export const getSegment = {
  method: 'GET',
  url: '/audience/segments/:id',
  config: { gate: read },
  schema: {
    operationId: 'getSegment',
    summary: 'Get a segment and count its customers',
    description: 'If counting takes longer than a second, the last count is returned.',
    tags,
    params: IdParams,
    response: { 200: AudienceSegment },
  },
} as const satisfies Endpoint

export const updateSegment = {
  method: 'PATCH',
  url: '/audience/segments/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateSegment',
    summary: 'Update the name or filter of a segment',
    tags,
    params: IdParams,
    body: SegmentPatch,
    response: { 200: AudienceSegment },
  },
} as const satisfies Endpoint

export const deleteSegment = {
  method: 'DELETE',
  url: '/audience/segments/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteSegment',
    summary: 'Delete a segment; its customers stay',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
