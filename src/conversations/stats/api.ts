import * as z from 'zod'
import { type Endpoint, Time } from '../../core/http/endpoint.ts'

const figures = {
  received: z.int().describe('Messages of customers'),
  botSent: z.int().describe('Replies that the bot sent by itself'),
  held: z.int().describe('Messages that the bot left to people'),
  escalated: z.int(),
  approvedUnchanged: z.int(),
  edited: z.int(),
  flagged: z.int(),
}
const seconds = z.number().nullable()

/** What a reply cites: an FAQ answer by its question, or a text of the knowledge base by its name. */
export const CitedEntry = z.strictObject({
  kind: z.enum(['answer', 'text']),
  title: z
    .string()
    .describe('The first line of the question; or the name of the text, up to a colon with a space where it has one'),
  replies: z.int(),
})

/** docs/conversations.md defines these figures. */
export const ReplyStats = z
  .strictObject({
    ...figures,
    firstResponseSeconds: z.strictObject({ median: seconds, p90: seconds }),
    resolutionRate: z
      .number()
      .nullable()
      .describe('Share of conversations that were closed without a person, and where the customer did not come back'),
    answeredBy: z
      .strictObject({
        bot: z.int().describe('The bot, by itself'),
        approved: z.int().describe('A person, with a reply that the bot had held'),
        people: z.int().describe('A person, in their own words'),
        nobody: z.int().describe('Not answered yet'),
      })
      .describe('Messages by who first answered them; telling a customer that a person will answer is no answer'),
    cited: z
      .array(CitedEntry)
      .describe(
        'How many replies, sent or held, cite each entry of the knowledge, the most cited first; simulations do not count. At most 1,000',
      ),
    automatedShare: z.number().nullable().describe('Share of answered messages that the bot answered by itself'),
    satisfaction: z.strictObject({
      value: z.number().nullable(),
      basis: z.enum(['rating', 'sentiment']).describe('sentiment: share of conversations that end neutral or better'),
    }),
    calibration: z.strictObject({
      labelled: z.int().describe('Drafts that people approved, edited or flagged'),
      ece: z.number().nullable().describe('Expected calibration error'),
      bins: z
        .array(
          z.strictObject({
            from: z.number(),
            to: z.number(),
            replies: z.int().describe('All replies with this confidence'),
            labelled: z.int(),
            unchanged: z.int(),
          }),
        )
        .describe('Ten, from 0 to 1'),
      suggestedThreshold: z
        .strictObject({ threshold: z.number(), automatic: z.number(), changed: z.number() })
        .nullable()
        .describe(
          'The least threshold with at least 95 % unchanged; `automatic`: share of replies from there on, `changed`: share of those that people changed. Null below 50 labels',
        ),
    }),
    days: z.array(
      z.strictObject({
        day: z.iso.date(),
        ...figures,
        firstResponseSeconds: z.strictObject({ median: seconds, p90: seconds }),
      }),
    ),
  })
  .meta({ id: 'ReplyStats' })
export type ReplyStats = z.infer<typeof ReplyStats>

export const getReplyStats = {
  method: 'GET',
  url: '/ice/stats',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'getReplyStats',
    summary: 'How customers are answered, by day of the workspace',
    tags: ['Bot'],
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      from: Time.optional().describe('Default: 30 days ago'),
      to: Time.optional().describe('Default: now; at most 366 days after `from`'),
    }),
    response: { 200: ReplyStats },
  },
} as const satisfies Endpoint
