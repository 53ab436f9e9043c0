import * as z from 'zod'
import {
  type Endpoint,
  Id,
  IdParams,
  ListQuery,
  NoBody,
  pageOf,
  PageQuery,
  patchOf,
  Timestamp,
} from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'
import { Message, MessageSource, Sentiment, ThreadKind, ThreadStatus } from '../threads/api.ts'

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
    .stringFormat('language_format', /^[a-z]{2,3}(-[A-Za-z0-9]{2,4})?$/, {
      error: 'Must be a language code, such as en or pt-BR',
    })
    .nullable()
    .optional(),
  tags: z
    .array(Tag)
    .max(MOST_TAGS)
    .refine((all) => new Set(all.map((tag) => tag.toLowerCase())).size === all.length, {
      error: 'Must not contain a tag twice',
      params: { code: 'duplicate' },
    })
    .optional(),
}

/** A customer: one person, with every identity they have at networks. */
export const AudienceNode = z
  .strictObject({
    id: Id,
    name: z.string().describe('Empty until a network provides it'),
    username: z.string().nullable(),
    platforms: z.array(Platform).describe('Networks on which the customer wrote'),
    language: z.string().nullable(),
    tags: z.array(z.string()),
    engagement: z.number().describe('Current score from 0 to 100. It falls while the customer is silent'),
    lastSeen: Timestamp.nullable().describe('When the customer last wrote'),
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
  text: z.string().nullable().describe('Start of the newest message'),
  source: MessageSource.nullable().describe('Who wrote the newest message'),
  author: Message.shape.author,
  lastInAt: Timestamp.nullable(),
})

export const OpenAudienceNode = AudienceNode.extend({
  identities: z.array(AudienceIdentity),
  threads: z.array(AudienceThread).max(SHOWN_THREADS).describe('Newest first'),
  lastMerge: z
    .strictObject({ customerId: Id, name: z.string(), at: Timestamp, undoUntil: Timestamp })
    .nullable()
    .describe('The newest merge, while it can be undone. Otherwise null'),
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
    .describe('Words in names and usernames. The last word may be incomplete'),
  tag: Tag.optional(),
  segmentId: Id.optional().describe('Only customers in this segment'),
  sort: z.enum(AUDIENCE_ORDERS).default('engagement'),
})
export type AudienceQuery = z.infer<typeof AudienceQuery>

export const listAudience = {
  method: 'GET',
  url: '/audience',
  config: { gate: read },
  schema: {
    operationId: 'listAudience',
    summary: 'List customers, by default the most engaged first',
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
    summary: 'Get a customer with their identities and conversations',
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
    summary: 'Update the name, language or tags of a customer',
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
    summary: 'List likely duplicate customers, likeliest first',
    description: 'Parley never merges customers by itself.',
    tags,
    querystring: ListQuery.extend({ customerId: Id.optional().describe('Only pairs with this customer') }),
    response: { 200: pageOf(LikelyPair) },
  },
} as const satisfies Endpoint

export const mergeCustomers = {
  method: 'POST',
  url: '/audience/:id/merge',
  config: { gate: write },
  schema: {
    operationId: 'mergeCustomers',
    summary: 'Merge another customer into this one, undoable for 30 days',
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
    summary: 'Undo the newest merge into this customer',
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
    summary: 'Export all data about a customer',
    description: 'Contains profiles, conversations with notes, and what the bot remembers.',
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
    summary: 'Erase a customer permanently',
    description:
      'Erases the name, the IDs, and the texts and files of all conversations with the customer. This can’t be undone.',
    tags: ['Conversations'],
    params: IdParams,
    response: { 202: z.strictObject({}).describe('The data is erased in the background') },
  },
} as const satisfies Endpoint
