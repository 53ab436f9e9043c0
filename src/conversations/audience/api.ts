import * as z from 'zod'
import { type Endpoint, IdParams } from '../../core/http/endpoint.ts'

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
