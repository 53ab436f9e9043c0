import * as z from 'zod'
import { type Endpoint, Id, ListQuery, pageOf, Timestamp } from '../../../core/http/endpoint.ts'
import { FaqEntry } from '../config/api.ts'

const tags = ['Bot'] as const

export const KnowledgeImport = z.strictObject({
  format: z.enum(['csv', 'markdown']),
  content: z
    .string()
    .min(1)
    .max(500_000)
    .describe(
      'CSV with the columns question, answer and tags, or Markdown with each question as a heading above its answer',
    ),
  dryRun: z.boolean().default(false).describe('Checks the file without importing it'),
})
export type KnowledgeImport = z.infer<typeof KnowledgeImport>

export const ImportVerdict = z.enum(['new', 'changed', 'same', 'invalid'])
/** Why an entry of a file cannot be imported. */
export const ImportFault = z.enum(['question_missing', 'question_long', 'answer_missing', 'answer_long', 'tags'])
export type ImportFault = z.infer<typeof ImportFault>

export const importKnowledge = {
  method: 'POST',
  url: '/ice/knowledge/import',
  config: { gate: { role: 'ADMIN', feature: 'auto_reply' } },
  schema: {
    operationId: 'importKnowledge',
    summary: 'Import FAQ entries; existing questions get the new answer',
    tags,
    body: KnowledgeImport,
    response: {
      200: z.strictObject({
        data: z.array(
          z.strictObject({
            line: z.int(),
            verdict: ImportVerdict,
            entry: FaqEntry.nullable(),
            fault: ImportFault.nullable().describe('Why the entry is invalid'),
            message: z.string().nullable(),
          }),
        ),
        imported: z.int(),
      }),
    },
  },
} as const satisfies Endpoint

/** A question that the knowledge did not answer, with others that ask the same. */
export const KnowledgeGap = z
  .strictObject({
    question: z.string(),
    count: z.int(),
    lastAt: Timestamp,
    conversations: z.array(Id).describe('IDs of the ten newest conversations'),
  })
  .meta({ id: 'KnowledgeGap' })
export type KnowledgeGap = z.infer<typeof KnowledgeGap>

export const listKnowledgeGaps = {
  method: 'GET',
  url: '/ice/knowledge/gaps',
  config: { gate: { role: 'EDITOR', feature: 'auto_reply' } },
  schema: {
    operationId: 'listKnowledgeGaps',
    summary: 'List recent questions without an answer, most asked first',
    description: 'Covers questions of the last 30 days that the bot’s knowledge doesn’t answer.',
    tags,
    querystring: ListQuery,
    response: { 200: pageOf(KnowledgeGap) },
  },
} as const satisfies Endpoint

export const Passages = z.strictObject({
  data: z
    .array(
      z.strictObject({
        id: z.string(),
        text: z.string(),
        given: z.boolean(),
        score: z
          .number()
          .describe('How well the passage fits by its words (BM25). Only comparable within one response'),
        words: z.array(z.string()).describe('Words of the passage that matched, as written there'),
        replies: z
          .int()
          .describe(
            'Replies of the last 30 days that cite the passage in its current form, sent or held. Simulations don’t count',
          ),
      }),
    )
    .describe('Passages that share a word with the text, at most 12'),
  whole: z.boolean().describe('Whether the knowledge is so short that the bot gets all of it, in this order'),
  passages: z.int().describe('Total number of passages in the knowledge'),
})

export const findPassages = {
  method: 'POST',
  url: '/ice/knowledge/search',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'findPassages',
    summary: 'List the passages the bot gets for a question, best first',
    tags,
    body: z.strictObject({ text: z.string().trim().min(1).max(4_000) }),
    response: { 200: Passages },
  },
} as const satisfies Endpoint
