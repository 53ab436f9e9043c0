import * as z from 'zod'
import { Empty, type Endpoint, Id, ListQuery, pageOf, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Bot'] as const

export const MEMORY_SCOPES = ['thread', 'customer', 'audience'] as const
export const MemoryScope = z.enum(MEMORY_SCOPES)
export const MEMORY_KEYS = ['first_name', 'size', 'interest', 'order', 'complaint'] as const

/** What is remembered about a customer, in their own words. */
export const Memory = z
  .strictObject({
    id: Id,
    scope: MemoryScope,
    owner: Id.describe('ID of the conversation, of the customer on one account, or of the customer in the audience'),
    memoryType: z.enum(['identity', 'preference', 'order', 'issue']),
    key: z.enum(MEMORY_KEYS),
    value: z.string(),
    confidence: z.number(),
    hitCount: z.int().describe('Number of sent replies that used the memory'),
    fromMessageId: Id.nullable(),
    expiresAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Memory' })
export type Memory = z.infer<typeof Memory>

export const listMemory = {
  method: 'GET',
  url: '/ice/memory',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'listMemory',
    summary: 'List the bot’s memory of a conversation or an owner',
    description: 'With `conversationId`, also returns what is remembered of its customer.',
    tags,
    querystring: ListQuery.extend({
      conversationId: Id.optional(),
      scope: MemoryScope.optional(),
      owner: Id.optional(),
    }),
    response: { 200: pageOf(Memory) },
  },
} as const satisfies Endpoint

export const deleteMemory = {
  method: 'DELETE',
  url: '/ice/memory',
  config: { gate: { role: 'EDITOR', feature: 'auto_reply' } },
  schema: {
    operationId: 'deleteMemory',
    summary: 'Delete one memory by ID, or all memories of an owner',
    tags,
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      id: Id.optional(),
      scope: MemoryScope.optional(),
      owner: Id.optional(),
    }),
    response: { 204: Empty },
  },
} as const satisfies Endpoint
