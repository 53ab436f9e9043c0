import * as z from 'zod'
import { type Endpoint, Id, patchOf, Time, TimeOfDay, Timestamp } from '../../../core/http/endpoint.ts'

const tags = ['Bot'] as const

/** The maximum number of bytes of the knowledge base as JSON in UTF-8. */
export const LARGEST_KNOWLEDGE = 100_000
export const MOST_FAQ = 500
/** The maximum number of characters of all questions and answers together. */
export const LONGEST_FAQ = 500_000

const Word = z.string().trim().min(1).max(100)

export const FaqEntry = z.strictObject({
  question: z.string().trim().min(1).max(500),
  answer: z.string().trim().min(1).max(4_000),
  tags: z.array(z.string().trim().min(1).max(50)).max(20).optional(),
})
export type FaqEntry = z.infer<typeof FaqEntry>

const fields = {
  isEnabled: z.boolean().describe('Whether the bot reads customers’ messages and replies to them'),
  autoReplyComments: z.boolean(),
  autoReplyDMs: z.boolean(),
  commentToDmEnabled: z.boolean().describe('Whether the bot replies to comments privately where the network allows it'),
  maxAutoRepliesPerThread: z
    .int()
    .min(0)
    .max(50)
    .describe('Maximum number of bot replies in a row until a person replies'),
  replyDelaySeconds: z.int().min(0).max(86_400),
  workingHoursOnly: z
    .boolean()
    .describe('Whether the bot replies only during working hours. Requires hours and a time zone'),
  workingHoursStart: TimeOfDay.nullable(),
  workingHoursEnd: TimeOfDay.nullable().describe('If it’s before the start, it’s on the next day'),
  workingTimezone: z.string().max(64).nullable().describe('IANA time zone name, such as Europe/Berlin'),
  brandVoiceId: Id.nullable().describe('Null for the default brand voice of the workspace, if there is one'),
  maxConfidenceForAuto: z
    .number()
    .min(0)
    .max(1)
    .describe('A reply with at least this confidence is sent. Any other waits for a person'),
  blockedTopics: z.array(Word).max(200).describe('Topics that the bot never replies to. It leaves them to people'),
  escalateKeywords: z.array(Word).max(200).describe('A message with one of these words is escalated at once'),
  knowledgeBase: z
    .record(z.string(), z.unknown())
    .describe(`Names with texts, lists or nested names, at most ${LARGEST_KNOWLEDGE} bytes as JSON in UTF-8`),
  faqEntries: z
    .array(FaqEntry)
    .max(MOST_FAQ)
    .describe(`At most ${LONGEST_FAQ} characters of questions and answers together`),
  abTestingEnabled: z.boolean().describe('Whether the running experiment chooses how replies are written'),
  handoffText: z
    .string()
    .trim()
    .min(1)
    .max(600)
    .nullable()
    .describe('Sent once when the bot hands a conversation over to a person'),
  disclosureText: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .nullable()
    .describe('Added before the bot’s first message in a conversation'),
}

/** The writable fields of the configuration, with its current state. */
export const BotConfig = z
  .strictObject({
    ...fields,
    draftsOnlyUntil: Timestamp.nullable().describe('Until this time, every reply waits for a person'),
    paused: z.boolean().describe('Whether the bot is paused in the whole workspace'),
    answeredElsewhere: z
      .array(Id)
      .describe('Accounts where the bot of another workspace replies, so this one doesn’t. Each page has only one bot'),
    version: z.int(),
    updatedAt: Timestamp.nullable().describe('Null if the defaults were never changed'),
    updatedBy: z.strictObject({ id: Id, name: z.string() }).nullable(),
  })
  .meta({ id: 'BotConfig' })
export type BotConfig = z.infer<typeof BotConfig>

const writable = z.strictObject({ ...fields, draftsOnlyUntil: Time.nullable() }).partial()
export const BotConfigChange = patchOf(writable.shape, BotConfig)
export type BotConfigChange = z.infer<typeof BotConfigChange>

export const getBotConfig = {
  method: 'GET',
  url: '/ice/bot-config',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'getBotConfig',
    summary: 'Get the bot’s configuration, or its defaults',
    tags,
    response: { 200: BotConfig },
  },
} as const satisfies Endpoint

export const updateBotConfig = {
  method: 'PUT',
  url: '/ice/bot-config',
  config: { gate: { role: 'ADMIN', feature: 'auto_reply' } },
  schema: {
    operationId: 'updateBotConfig',
    summary: 'Update the bot’s configuration (supports If-Match)',
    description: 'Omitted fields don’t change.',
    tags,
    body: BotConfigChange,
    response: { 200: BotConfig },
  },
} as const satisfies Endpoint
