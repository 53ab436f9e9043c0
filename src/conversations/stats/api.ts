import * as z from 'zod'
import { type Endpoint, Time } from '../../core/http/endpoint.ts'

const figures = {
  received: z.int().describe('Messages from customers'),
  botSent: z.int().describe('Replies that the bot sent on its own'),
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
    .describe('The first line of the question, or the name of the text up to its first colon with a space'),
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
      .describe(
        'Share without an answer by a person, of the conversations that are closed or answered and in which the customer has not written for 24 hours',
      ),
    answeredBy: z
      .strictObject({
        bot: z.int().describe('By the bot on its own'),
        approved: z.int().describe('By a person, with the bot’s draft'),
        people: z.int().describe('By a person, in their own words'),
        nobody: z.int().describe('Not replied to yet'),
      })
      .describe('Messages by who first replied. Telling a customer that a person will reply doesn’t count as a reply'),
    cited: z
      .array(CitedEntry)
      .describe(
        'Number of replies, sent or held, that cite each entry of the knowledge, most cited first, at most 1,000 entries. Simulations don’t count',
      ),
    automatedShare: z
      .number()
      .nullable()
      .describe('Share of the messages with a reply that the bot replied to on its own'),
    satisfaction: z.strictObject({
      value: z.number().nullable(),
      basis: z.enum(['rating', 'sentiment']).describe('`sentiment`: share of conversations that end neutral or better'),
    }),
    calibration: z.strictObject({
      labelled: z.int().describe('Drafts that people approved, edited or flagged, and sent replies that they checked'),
      ece: z.number().nullable().describe('Expected calibration error'),
      bins: z
        .array(
          z.strictObject({
            from: z.number(),
            to: z.number(),
            replies: z.int().describe('All replies with this confidence'),
            labelled: z.int(),
            unchanged: z.int(),
            calibrated: z
              .number()
              .nullable()
              .describe(
                'Share that people leave unchanged, smoothed so that it never falls as the confidence rises. Null without labels',
              ),
          }),
        )
        .describe('Ten bins from 0 to 1'),
      suggestedThreshold: z
        .strictObject({ threshold: z.number(), automatic: z.number(), changed: z.number() })
        .nullable()
        .describe(
          'Lowest threshold at which at least 95% of replies stay unchanged. `automatic`: share of replies at or above it. `changed`: share of those that people changed. Null with fewer than 50 labels',
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
    summary: 'Get reply statistics, in total and by day',
    description: 'Days are in the time zone of the workspace.',
    tags: ['Bot'],
    querystring: z.strictObject({
      workspaceId: z.string().optional(),
      from: Time.optional().describe('Default: 30 days before `to`'),
      to: Time.optional().describe('Default: now. At most 366 days after `from`'),
    }),
    response: { 200: ReplyStats },
  },
} as const satisfies Endpoint
