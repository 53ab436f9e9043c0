import * as z from 'zod'
import type { Endpoint } from '../../core/http/endpoint.ts'

export const getAttachment = {
  method: 'GET',
  url: '/conversations/:id/attachments/:fileId',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'getAttachment',
    summary: 'Download a file that a customer sent',
    tags: ['Conversations'],
    params: z.object({ id: z.string(), fileId: z.string() }),
    produces: ['application/octet-stream'],
    response: { 200: z.any().describe('Bytes') },
  },
} as const satisfies Endpoint
