import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, ListQuery, pageOf, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { Sentiment, Urgency } from '../threads/api.ts'

const tags = ['Conversations'] as const
const read = { role: 'VIEWER', feature: 'auto_reply' } as const
const write = { role: 'ADMIN', feature: 'auto_reply' } as const

/** The maximum number of escalation rules of a workspace. */
export const MOST_RULES = 100

const Word = z.string().trim().min(1).max(100)

const fields = {
  keywords: z.array(Word).max(200).describe('The message contains one of these words'),
  intents: z.array(Word).max(50).describe('The bot classified the message as one of these intents'),
  urgency: Urgency.nullable().describe('The bot gave the message at least this urgency'),
  sentiment: Sentiment.nullable(),
  assignToRole: z
    .enum(['OWNER', 'ADMIN', 'EDITOR'])
    .nullable()
    .describe(
      'If the conversation is unassigned, the member with this role who has the fewest open conversations gets it',
    ),
  notifyRoles: z.array(z.enum(['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'])).max(4),
  position: z.int().min(0).max(10_000).describe('Rules are checked in this order, and the first match escalates'),
}

/** A rule applies to a message if all of its conditions hold. */
export const EscalationRule = z
  .strictObject({ id: Id, ...fields, version: z.int(), createdAt: Timestamp, updatedAt: Timestamp })
  .meta({ id: 'EscalationRule' })
export type EscalationRule = z.infer<typeof EscalationRule>

export const NewEscalationRule = z.strictObject({
  keywords: fields.keywords.default([]),
  intents: fields.intents.default([]),
  urgency: fields.urgency.default(null),
  sentiment: fields.sentiment.default(null),
  assignToRole: fields.assignToRole.default(null),
  notifyRoles: fields.notifyRoles.default([]),
  position: fields.position.optional().describe('Default: last'),
})
export type NewEscalationRule = z.infer<typeof NewEscalationRule>
export const EscalationRulePatch = patchOf(z.strictObject(fields).partial().shape, EscalationRule)
export type EscalationRulePatch = z.infer<typeof EscalationRulePatch>

export const listEscalationRules = {
  method: 'GET',
  url: '/ice/escalation-rules',
  config: { gate: read },
  schema: {
    operationId: 'listEscalationRules',
    summary: 'List escalation rules by position',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(EscalationRule) },
  },
} as const satisfies Endpoint

export const createEscalationRule = {
  method: 'POST',
  url: '/ice/escalation-rules',
  config: { gate: write },
  schema: {
    operationId: 'createEscalationRule',
    summary: 'Create an escalation rule',
    tags,
    body: NewEscalationRule,
    response: { 201: EscalationRule },
  },
} as const satisfies Endpoint

export const updateEscalationRule = {
  method: 'PATCH',
  url: '/ice/escalation-rules/:id',
  config: { gate: write },
  schema: {
    operationId: 'updateEscalationRule',
    summary: 'Update an escalation rule (supports If-Match)',
    tags,
    params: IdParams,
    body: EscalationRulePatch,
    response: { 200: EscalationRule },
  },
} as const satisfies Endpoint

export const deleteEscalationRule = {
  method: 'DELETE',
  url: '/ice/escalation-rules/:id',
  config: { gate: write },
  schema: {
    operationId: 'deleteEscalationRule',
    summary: 'Delete an escalation rule',
    tags,
    params: IdParams,
    response: { 204: Empty },
  },
} as const satisfies Endpoint
