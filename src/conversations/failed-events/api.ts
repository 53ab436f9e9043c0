import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, NoBody, pageOf, PageQuery, Timestamp } from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'

/** An event from a network that could not be applied and is no longer retried. */
export const FailedEvent = z
  .strictObject({
    id: Id,
    accountId: Id,
    platform: Platform,
    kind: z.string().describe('comment, message, edit, remove, hide, reaction or read'),
    text: z.string().nullable().describe('First 200 characters'),
    at: Timestamp,
    receivedAt: Timestamp,
    failures: z.int(),
  })
  .meta({ id: 'FailedEvent' })
export type FailedEvent = z.infer<typeof FailedEvent>

export const listFailedEvents = {
  method: 'GET',
  url: '/conversations/failed-events',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'listFailedEvents',
    summary: 'List incoming comments and messages that failed, newest first',
    description: 'These comments and messages couldn’t be processed and are no longer retried.',
    tags: ['Conversations'],
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(FailedEvent).extend({ count: z.int().describe('Total across all pages') }) },
  },
} as const satisfies Endpoint

export const retryFailedEvent = {
  method: 'POST',
  url: '/conversations/failed-events/:id/retry',
  config: { gate: { role: 'EDITOR', feature: 'auto_reply' } },
  schema: {
    operationId: 'retryFailedEvent',
    summary: 'Retry an incoming comment or message that failed',
    tags: ['Conversations'],
    params: IdParams,
    body: NoBody,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
