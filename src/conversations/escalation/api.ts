import * as z from 'zod'
import { Empty, type Endpoint, Id, IdParams, patchOf, Timestamp } from '../../core/http/endpoint.ts'
import { Sentiment, Urgency } from '../api.ts'

const tags = ['Conversations'] as const
const read = { role: 'VIEWER', feature: 'auto_reply' } as const
const write = { role: 'ADMIN', feature: 'auto_reply' } as const

/** The maximum number of escalation rules of a workspace. */
export const MOST_RULES = 100

const Word = z.string().trim().min(1).max(100)

const fields = {
  keywords: z.array(Word).max(200).describe('The message has one of these words'),
  intents: z.array(Word).max(50).describe('The message has one of these intents, as the bot classifies it'),
  urgency: Urgency.nullable().describe('The thread is at least so urgent'),
  sentiment: Sentiment.nullable(),
  assignToRole: z
    .enum(['OWNER', 'ADMIN', 'EDITOR'])
    .nullable()
    .describe('The member with this role who has the fewest open threads gets it, when nobody has it'),
  notifyRoles: z.array(z.enum(['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'])).max(4),
  position: z.int().min(0).max(10_000).describe('The first rule that holds escalates'),
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
  position: fields.position.optional().describe('Default: the last'),
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
    summary: 'All escalation rules, by position',
    tags,
    response: { 200: z.strictObject({ data: z.array(EscalationRule), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint

export const createEscalationRule = {
  method: 'POST',
  url: '/ice/escalation-rules',
  config: { gate: write },
  schema: {
    operationId: 'createEscalationRule',
    summary: 'Add an escalation rule',
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
    summary: 'Change an escalation rule; If-Match makes it conditional',
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
