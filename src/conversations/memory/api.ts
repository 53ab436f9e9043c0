import * as z from 'zod'
import { Empty, type Endpoint, Id, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Bot'] as const

export const MEMORY_SCOPES = ['thread', 'customer', 'audience'] as const
export const MemoryScope = z.enum(MEMORY_SCOPES)
export const MEMORY_KEYS = ['first_name', 'size', 'interest', 'order', 'complaint'] as const

/** What is remembered about a customer, in their own words. */
export const Memory = z
  .strictObject({
    id: Id,
    scope: MemoryScope,
    owner: Id.describe('The conversation, the customer of an account, or the person of the audience'),
    memoryType: z.enum(['identity', 'preference', 'order', 'issue']),
    key: z.enum(MEMORY_KEYS),
    value: z.string(),
    confidence: z.number(),
    hitCount: z.int().describe('Sent replies that used it'),
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
    summary: 'What the bot remembers: of a conversation with everything above it, or of one owner',
    tags,
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      conversationId: Id.optional(),
      scope: MemoryScope.optional(),
      owner: Id.optional(),
    }),
    response: { 200: z.strictObject({ data: z.array(Memory), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint

export const deleteMemory = {
  method: 'DELETE',
  url: '/ice/memory',
  config: { gate: { role: 'EDITOR', feature: 'auto_reply' } },
  schema: {
    operationId: 'deleteMemory',
    summary: 'Forget one thing by its id, or everything of an owner',
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
