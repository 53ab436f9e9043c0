import * as z from 'zod'
import { Id, Timestamp } from '../../core/http/endpoint.ts'

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
  'error',
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
    verdict: Verdict.nullable().describe('Null until the bot has decided'),
    hold: HeldFor.nullable(),
    reply: z.string().nullable().describe('The reply that the model wrote, if any'),
    confidence: z.number().nullable(),
    threshold: z.number(),
    sources: z.array(Source).describe('Passages that the reply cites'),
    vetoes: z.array(z.string()),
    draftId: Id.nullable(),
    contextSnapshot: z.unknown().describe('All facts that the decision was based on. Null once they were erased'),
    decisionLog: z.array(LogEntry),
    rulesVersion: z.int(),
    usage: z
      .strictObject({ model: z.string(), inputTokens: z.int().nullable(), outputTokens: z.int().nullable() })
      .nullable(),
    credits: z.int().describe('Credits used'),
    createdAt: Timestamp,
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Decision' })
export type Decision = z.infer<typeof Decision>

/** A decision that used credits, as a line of a list. */
export const ChargedDecision = z
  .strictObject({
    id: Id,
    kind: z.enum(DECISION_KINDS),
    conversationId: Id.nullable(),
    customer: z.string().nullable(),
    text: z.string().nullable().describe('Text that the bot decided about. Null once it was erased'),
    credits: z.int().describe('Credits used'),
    createdBy: z
      .strictObject({ id: Id, name: z.string() })
      .nullable()
      .describe('Who asked for the draft or the simulation. Null if the bot decided by itself'),
    createdAt: Timestamp,
  })
  .meta({ id: 'ChargedDecision' })
export type ChargedDecision = z.infer<typeof ChargedDecision>

export const DRAFT_STATES = ['PENDING_REVIEW', 'APPROVED', 'FLAGGED', 'SUPERSEDED', 'EXPIRED'] as const
export const FLAG_REASONS = ['wrong', 'unsafe', 'off-brand'] as const

/** A reply that waits for a person. It is not part of its conversation until it is sent. */
export const DraftReply = z
  .strictObject({
    id: Id,
    decisionId: Id,
    conversationId: Id,
    messageId: Id.describe('The customer’s message that the draft replies to'),
    question: z.string().nullable().describe('Text of that message'),
    customer: z.string(),
    state: z.enum(DRAFT_STATES),
    text: z.string(),
    sentText: z.string().nullable().describe('Text that a person sent instead'),
    reason: HeldFor.describe('Why the bot didn’t send the draft itself'),
    confidence: z.number(),
    parts: z.strictObject({ model: z.number(), classification: z.number(), evidence: z.number() }),
    threshold: z.number(),
    sources: z.array(Source),
    vetoes: z.array(z.string()),
    privately: z.boolean().describe('Whether it’s sent as the private reply to a comment'),
    expiresAt: Timestamp.nullable(),
    flag: z.strictObject({ reason: z.enum(FLAG_REASONS), note: z.string().nullable() }).nullable(),
    decidedBy: z.strictObject({ id: Id, name: z.string() }).nullable(),
    decidedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'DraftReply' })
export type DraftReply = z.infer<typeof DraftReply>
