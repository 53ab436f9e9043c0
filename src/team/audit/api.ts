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
        .describe('Of the system: Parley, Bot, Network app, or for whom a review link was made'),
      email: z.string().nullable(),
    }),
    action: z.string().describe('Such as post.scheduled'),
    object: z.record(z.string(), z.unknown()).describe('What it was done to, by ids'),
    person: z.string().nullable().describe('The name of whom it concerned, if it was a person'),
    subject: z
      .string()
      .nullable()
      .describe(
        'What it was done to as it is called today: the beginning of a post’s text, the name of an account or file',
      ),
    accounts: z
      .array(z.strictObject({ name: z.string(), platform: Platform }))
      .describe('The accounts that it was done to, or whose targets, as they are called today'),
    detail: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
    requestId: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

const filters = {
  action: z.string().max(100).optional().describe('An action, or a group of them such as post'),
  actorId: Id.optional(),
  from: Time.optional().describe('At this time or later'),
  to: Time.optional().describe('Before this time'),
}
const Filter = z.strictObject({ ...filters, workspaceId: z.string().optional() })
export type AuditFilter = Omit<z.infer<typeof Filter>, 'workspaceId'>

export const listAudit = {
  method: 'GET',
  url: '/audit',
  config: { gate: { role: 'ADMIN' } },
  schema: {
    operationId: 'listAudit',
    summary: 'What was done in the workspace, by whom and when, newest first',
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
    summary: 'The same as CSV, oldest first',
    tags,
    querystring: Filter,
    produces: ['text/csv'],
    response: { 200: z.string() },
  },
} as const satisfies Endpoint
