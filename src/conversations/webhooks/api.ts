import * as z from 'zod'
import { Empty, type Endpoint } from '../../core/http/endpoint.ts'

const tags = ['Webhooks'] as const
const Params = z.object({ network: z.string() })

export const verifyWebhook = {
  method: 'GET',
  url: '/webhooks/:network',
  config: { gate: 'public' },
  schema: {
    operationId: 'verifyWebhook',
    summary: 'Answer a network’s webhook verification',
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
    summary: 'Receive signed events from a network',
    tags,
    params: Params,
    response: { 200: Empty },
  },
} as const satisfies Endpoint
