import * as z from 'zod'
import { Id, Timestamp } from '../../../core/http/endpoint.ts'

export const DECISION_KINDS = ['bot', 'suggest', 'simulate'] as const
export const VERDICTS = ['SENT', 'IGNORED', 'QUIET', 'ESCALATED', 'HELD', 'SUPERSEDED', 'EXPIRED'] as const
export const HELD_FOR = [
  'blocked_topic',
  'cap',
  'paused',
  'window',
  'outside_hours',
  'late',
  'no_credits',
  'ai_failed',
  'interrupted',
  'drafts_only',
  'checks',
  'confidence',
  'not_delivered',
  'suggested',
  'no_text',
  'unconfirmed',
] as const
export const HeldFor = z.enum(HELD_FOR)
export type HeldFor = z.infer<typeof HeldFor>
export const Verdict = z.enum(VERDICTS)

export const LogEntry = z.strictObject({
  step: z.string(),
  input: z.unknown(),
  outcome: z.string(),
  at: Timestamp,
})

const Source = z.strictObject({ id: z.string(), text: z.string() })

/** What the bot decided about a message, and why. */
export const Decision = z
  .strictObject({
    id: Id,
    kind: z.enum(DECISION_KINDS),
    conversationId: Id.nullable(),
    messageId: Id.nullable(),
    state: z.enum(['QUEUED', 'RUNNING', 'WAITING', 'SENDING', 'DONE']),
    verdict: Verdict.nullable().describe('Null until it is decided'),
    hold: HeldFor.nullable(),
    reply: z.string().nullable().describe('What the model wrote, if it wrote'),
    confidence: z.number().nullable(),
    threshold: z.number(),
    sources: z.array(Source).describe('The passages that the reply cites'),
    vetoes: z.array(z.string()),
    draftId: Id.nullable(),
    contextSnapshot: z.unknown().describe('Everything that was considered; null once it was erased'),
    decisionLog: z.array(LogEntry),
    rulesVersion: z.int(),
    usage: z
      .strictObject({ model: z.string(), inputTokens: z.int().nullable(), outputTokens: z.int().nullable() })
      .nullable(),
    credits: z.int().describe('What it has cost'),
    createdAt: Timestamp,
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Decision' })
export type Decision = z.infer<typeof Decision>

export const DRAFT_STATES = ['PENDING_REVIEW', 'APPROVED', 'FLAGGED', 'SUPERSEDED', 'EXPIRED'] as const
export const FLAG_REASONS = ['wrong', 'unsafe', 'off-brand'] as const

/** A reply that waits for a person. It is not part of its conversation until it is sent. */
export const DraftReply = z
  .strictObject({
    id: Id,
    decisionId: Id,
    conversationId: Id,
    messageId: Id.describe('The customer’s message that it answers'),
    question: z.string().nullable().describe('The text of that message'),
    customer: z.string(),
    state: z.enum(DRAFT_STATES),
    text: z.string(),
    sentText: z.string().nullable().describe('What a person sent in its place'),
    reason: HeldFor.describe('Why it was not sent by itself'),
    confidence: z.number(),
    parts: z.strictObject({ model: z.number(), classification: z.number(), evidence: z.number() }),
    threshold: z.number(),
    sources: z.array(Source),
    vetoes: z.array(z.string()),
    privately: z.boolean().describe('It goes as the private reply to a comment'),
    expiresAt: Timestamp.nullable(),
    flag: z.strictObject({ reason: z.enum(FLAG_REASONS), note: z.string().nullable() }).nullable(),
    decidedBy: z.strictObject({ id: Id, name: z.string() }).nullable(),
    decidedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'DraftReply' })
export type DraftReply = z.infer<typeof DraftReply>
