import * as z from 'zod'
import { type Endpoint, Id, IdParams, pageOf, PageQuery, Timestamp } from '../../../core/http/endpoint.ts'
import { DraftReply, FLAG_REASONS } from '../../decisions/api.ts'

const tags = ['Bot'] as const

/** A reply that the bot has sent on its own, in the sample that people check. */
export const SentReply = z
  .strictObject({
    id: Id.describe('ID of the decision'),
    conversationId: Id,
    messageId: Id.describe('The customer’s message that it replies to'),
    customer: z.string().nullable(),
    question: z.string().nullable().describe('Text of that message'),
    text: z.string(),
    confidence: z.number(),
    sources: DraftReply.shape.sources,
    sentAt: Timestamp,
    check: z
      .strictObject({
        flag: z.enum(FLAG_REASONS).nullable().describe('What is wrong. Null if the reply was right'),
        by: DraftReply.shape.decidedBy,
        at: Timestamp,
      })
      .nullable()
      .describe('Null until a person has checked the reply'),
  })
  .meta({ id: 'SentReply' })
export type SentReply = z.infer<typeof SentReply>

export const listSentReplies = {
  method: 'GET',
  url: '/ice/sent-replies',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'listSentReplies',
    summary: 'List sent replies of the bot that are to be checked, newest first',
    description:
      'About 5% of the replies that the bot has sent on its own, chosen by a hash of their IDs. Checked ones leave the list.',
    tags,
    querystring: z.strictObject({ ...PageQuery, workspaceId: z.string().optional() }),
    response: { 200: pageOf(SentReply) },
  },
} as const satisfies Endpoint

export const SentReplyCheck = z.strictObject({
  flag: z.enum(FLAG_REASONS).nullable().describe('What is wrong. Null if the reply was right'),
})
export type SentReplyCheck = z.infer<typeof SentReplyCheck>

export const checkSentReply = {
  method: 'POST',
  url: '/ice/sent-replies/:id/check',
  config: { gate: { role: 'EDITOR', feature: 'auto_reply' } },
  schema: {
    operationId: 'checkSentReply',
    summary: 'Say whether a sent reply of the bot was right',
    description: 'Counts for the calibration like a draft that was approved unchanged or flagged.',
    tags,
    params: IdParams,
    body: SentReplyCheck,
    response: { 200: SentReply },
  },
} as const satisfies Endpoint
