import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, NoBody, pageOf, PageQuery, Timestamp } from '../../core/http/endpoint.ts'
import { Platform } from '../../networks/api.ts'

const tags = ['Webhooks'] as const

/** An event of a network that could not be applied, and that nobody tries any more. */
export const FailedEvent = z
  .strictObject({
    id: Id,
    accountId: Id,
    platform: Platform,
    kind: z.string().describe('comment, message, edit, remove, hide, reaction or read'),
    text: z.string().nullable().describe('Its first 200 characters'),
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
    summary: 'Comments and messages that could not be taken in, newest first',
    tags: ['Conversations'],
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(FailedEvent).extend({ count: z.int().describe('Of all pages') }) },
  },
} as const satisfies Endpoint

export const retryFailedEvent = {
  method: 'POST',
  url: '/conversations/failed-events/:id/retry',
  config: { gate: { role: 'EDITOR', feature: 'auto_reply' } },
  schema: {
    operationId: 'retryFailedEvent',
    summary: 'Try to take it in again',
    tags: ['Conversations'],
    params: IdParams,
    body: NoBody,
    response: { 204: Empty },
  },
} as const satisfies Endpoint

const Params = z.object({ network: z.string() })

export const verifyWebhook = {
  method: 'GET',
  url: '/webhooks/:network',
  config: { gate: 'public' },
  schema: {
    operationId: 'verifyWebhook',
    summary: 'Prove to a network that this address is ours',
    tags,
    params: Params,
    querystring: z.looseObject({
      'hub.mode': z.string().optional(),
      'hub.verify_token': z.string().optional(),
      'hub.challenge': z.string().max(200).optional(),
    }),
    produces: ['text/plain'],
    response: { 200: z.string() },
  },
} as const satisfies Endpoint

export const receiveWebhook = {
  method: 'POST',
  url: '/webhooks/:network',
  config: { gate: 'public' },
  schema: {
    operationId: 'receiveWebhook',
    summary: 'Take the signed events of a network',
    tags,
    params: Params,
    response: { 200: Empty },
  },
} as const satisfies Endpoint
