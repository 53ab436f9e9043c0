import * as z from 'zod'
import { type Endpoint, Id, IdParams, NoBody, pageOf, PageQuery, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'
import { Message, MessageSource, Sentiment, ThreadKind, ThreadStatus } from '../api.ts'

const tags = ['Audience'] as const
const read = { role: 'VIEWER', feature: 'audience' } as const
const write = { role: 'EDITOR', feature: 'audience' } as const

export const MOST_TAGS = 20
const LONGEST_TAG = 40
/** The maximum number of threads returned with a customer. */
export const SHOWN_THREADS = 100

const Tag = z.string().trim().min(1).max(LONGEST_TAG)

const writable = {
  name: z.string().trim().min(1).max(100).optional(),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,4})?$/, { error: 'A code of a language, such as en or pt-BR' })
    .nullable()
    .optional(),
  tags: z
    .array(Tag)
    .max(MOST_TAGS)
    .refine((all) => new Set(all.map((tag) => tag.toLowerCase())).size === all.length, { error: 'A tag comes twice' })
    .optional(),
}

/** A customer: one person, with every identity they have at networks. */
export const AudienceNode = z
  .strictObject({
    id: Id,
    name: z.string().describe('Empty while no network has told it'),
    username: z.string().nullable(),
    platforms: z.array(Platform).describe('Where the customer wrote'),
    language: z.string().nullable(),
    tags: z.array(z.string()),
    engagement: z.number().describe('The score now: 0 for nothing, 100 at most. It falls while the customer is silent'),
    lastSeen: Timestamp.nullable().describe('When the customer wrote last'),
    createdAt: Timestamp,
    version: z.int(),
  })
  .meta({ id: 'AudienceNode' })
export type AudienceNode = z.infer<typeof AudienceNode>

/** A customer's identity at a network, towards one account. */
const AudienceIdentity = z.strictObject({
  id: Id,
  accountId: Id,
  platform: Platform,
  username: z.string().nullable(),
  engagement: z.number(),
  lastSeen: Timestamp.nullable(),
})

const AudienceThread = z.strictObject({
  id: Id,
  accountId: Id,
  platform: Platform,
  kind: ThreadKind,
  status: ThreadStatus,
  sentiment: Sentiment.nullable(),
  text: z.string().nullable().describe('The beginning of the newest message'),
  source: MessageSource.nullable().describe('Who wrote the newest message'),
  author: Message.shape.author,
  lastInAt: Timestamp.nullable(),
})

export const OpenAudienceNode = AudienceNode.extend({
  identities: z.array(AudienceIdentity),
  threads: z.array(AudienceThread).max(SHOWN_THREADS).describe('The newest first'),
  lastMerge: z
    .strictObject({ customerId: Id, name: z.string(), at: Timestamp, undoUntil: Timestamp })
    .nullable()
    .describe('The newest merge, as long as it can be undone'),
}).meta({ id: 'OpenAudienceNode' })
export type OpenAudienceNode = z.infer<typeof OpenAudienceNode>

const AudiencePatch = patchOf(writable, OpenAudienceNode)
export type AudiencePatch = z.infer<typeof AudiencePatch>

export const AUDIENCE_ORDERS = ['engagement', 'lastSeen'] as const

const AudienceQuery = z.strictObject({
  ...PageQuery,
  workspaceId: z.string().optional(),
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Words of names and usernames; the last one may be a beginning'),
  tag: Tag.optional(),
  segmentId: Id.optional().describe('The customers of a segment'),
  sort: z.enum(AUDIENCE_ORDERS).default('engagement'),
})
export type AudienceQuery = z.infer<typeof AudienceQuery>

export const listAudience = {
  method: 'GET',
  url: '/audience',
  config: { gate: read },
  schema: {
    operationId: 'listAudience',
    summary: 'The customers, by default the most engaged first',
    tags,
    querystring: AudienceQuery,
    response: { 200: pageOf(AudienceNode) },
  },
} as const satisfies Endpoint

export const getCustomer = {
  method: 'GET',
  url: '/audience/:id',
  config: { gate: read },
  schema: {
    operationId: 'getCustomer',
    summary: 'A customer with identities and threads',
    tags,
    params: IdParams,
    response: { 200: OpenAudienceNode },
  },
} as const satisfies Endpoint

export const updateCustomer = {
  method: 'PATCH',
  url: '/audience/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateCustomer',
    summary: 'Correct the name, the language or the tags of a customer',
    tags,
    params: IdParams,
    body: AudiencePatch,
    response: { 200: OpenAudienceNode },
  },
} as const satisfies Endpoint

const PAIR_REASONS = ['same_username', 'same_name', 'name_like_username'] as const

/** Two customers who may be one person. */
const LikelyPair = z.strictObject({
  first: AudienceNode,
  second: AudienceNode,
  reasons: z.array(z.enum(PAIR_REASONS)).min(1),
})
export type LikelyPair = z.infer<typeof LikelyPair>

export const listPairs = {
  method: 'GET',
  url: '/audience/pairs',
  config: { gate: write },
  schema: {
    operationId: 'listPairs',
    summary: 'Customers who may be one person, the likeliest first. Only a person merges them',
    tags,
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      customerId: Id.optional().describe('Only pairs of this customer'),
    }),
    response: { 200: z.strictObject({ data: z.array(LikelyPair), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint

export const mergeCustomers = {
  method: 'POST',
  url: '/audience/:id/merge',
  config: { gate: write },
  schema: {
    operationId: 'mergeCustomers',
    summary: 'Merge another customer into this one. It can be undone for 30 days',
    tags,
    params: IdParams,
    body: z.strictObject({ with: Id }),
    response: { 200: OpenAudienceNode },
  },
} as const satisfies Endpoint

export const unmergeCustomer = {
  method: 'POST',
  url: '/audience/:id/unmerge',
  config: { gate: write },
  schema: {
    operationId: 'unmergeCustomer',
    summary: 'Undo the newest merge of this customer',
    tags,
    params: IdParams,
    body: NoBody,
    response: { 200: OpenAudienceNode },
  },
} as const satisfies Endpoint

/** Everything kept about a customer, in a form for that person. */
const CustomerExport = z
  .strictObject({
    exportedAt: Timestamp,
    customer: AudienceNode,
    profiles: z.array(AudienceIdentity),
    conversations: z.array(
      z.strictObject({
        platform: Platform,
        kind: ThreadKind,
        openedAt: Timestamp,
        messages: z.array(
          z.strictObject({
            at: Timestamp,
            source: MessageSource,
            text: z.string().nullable(),
            attachments: z.array(z.strictObject({ type: z.string(), url: z.string().nullable() })),
          }),
        ),
      }),
    ),
    memory: z.array(z.strictObject({ key: z.string(), value: z.string(), createdAt: Timestamp })),
  })
  .meta({ id: 'CustomerExport' })
export type CustomerExport = z.infer<typeof CustomerExport>

export const exportCustomer = {
  method: 'GET',
  url: '/audience/:id/export',
  config: { gate: { role: 'ADMIN', feature: 'audience' } },
  schema: {
    operationId: 'exportCustomer',
    summary:
      'A file with all that is kept of a customer: profiles, conversations with notes, and what the bot remembers',
    tags,
    params: IdParams,
    response: { 200: CustomerExport },
  },
} as const satisfies Endpoint

export const eraseCustomer = {
  method: 'DELETE',
  url: '/audience/:id',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'eraseCustomer',
    summary: 'Erase a customer: name, ids, and the texts and files of all their threads. It cannot be undone',
    tags: ['Conversations'],
    params: IdParams,
    response: { 202: z.strictObject({}).describe('It is done in the background') },
  },
} as const satisfies Endpoint
