import * as z from 'zod'
import { Platform } from '../../networks/api.ts'
import { type Endpoint, Id, PageQuery, pageOf, Time, Timestamp } from '../../core/http/endpoint.ts'

const tags = ['Audit'] as const

/** One act in a workspace. An entry cannot be changed or removed. */
export const AuditEntry = z
  .strictObject({
    id: Id,
    at: Timestamp,
    actor: z.strictObject({
      kind: z.enum(['user', 'system']),
      id: Id.nullable(),
      name: z
        .string()
        .nullable()
        .describe('Name of the person. For `system`: Parley, Bot, Network app, or the name on the review link'),
      email: z.string().nullable(),
    }),
    action: z.string().describe('For example post.scheduled'),
    object: z.record(z.string(), z.unknown()).describe('IDs of the affected objects'),
    person: z.string().nullable().describe('Name of the person affected. Null if none was'),
    subject: z
      .string()
      .nullable()
      .describe('Current name of the affected object: the start of a post’s text, or the name of an account or file'),
    accounts: z
      .array(z.strictObject({ name: z.string(), platform: Platform }))
      .describe('The affected accounts, including those of affected publications, with their current names'),
    detail: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
    requestId: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

const filters = {
  action: z.string().max(100).optional().describe('An action, or a group of actions such as post'),
  actorId: Id.optional(),
  from: Time.optional().describe('Earliest time, inclusive'),
  to: Time.optional().describe('Latest time, exclusive'),
}
const Filter = z.strictObject({ ...filters, workspaceId: z.string().optional() })
export type AuditFilter = Omit<z.infer<typeof Filter>, 'workspaceId'>

export const listAudit = {
  method: 'GET',
  url: '/audit',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'listAudit',
    summary: 'List audit entries, newest first',
    tags,
    querystring: Filter.extend(PageQuery),
    response: { 200: pageOf(AuditEntry) },
  },
} as const satisfies Endpoint

export const exportAudit = {
  method: 'GET',
  url: '/audit/export',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'exportAudit',
    summary: 'Export audit entries as CSV, oldest first',
    tags,
    querystring: Filter,
    produces: ['text/csv'],
    response: { 200: z.string() },
  },
} as const satisfies Endpoint
