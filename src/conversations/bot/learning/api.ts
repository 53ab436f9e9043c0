import * as z from 'zod'
import { type Endpoint, Id, Timestamp } from '../../../core/http/endpoint.ts'
import { FaqEntry } from '../config/api.ts'

const tags = ['Bot'] as const

export const KnowledgeImport = z.strictObject({
  format: z.enum(['csv', 'markdown']),
  content: z.string().min(1).max(500_000).describe('CSV: question, answer, tags. Markdown: a heading, then its text'),
  dryRun: z.boolean().default(true).describe('Only tell what would happen'),
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
    summary: 'Add entries of the FAQ from a file; an entry with a known question replaces its answer',
    tags,
    body: KnowledgeImport,
    response: {
      200: z.strictObject({
        data: z.array(
          z.strictObject({
            line: z.int(),
            verdict: ImportVerdict,
            entry: FaqEntry.nullable(),
            fault: ImportFault.nullable().describe('Why it is invalid'),
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
    conversations: z.array(Id).describe('The newest ten'),
  })
  .meta({ id: 'KnowledgeGap' })
export type KnowledgeGap = z.infer<typeof KnowledgeGap>

export const listKnowledgeGaps = {
  method: 'GET',
  url: '/ice/knowledge/gaps',
  config: { gate: { role: 'EDITOR', feature: 'auto_reply' } },
  schema: {
    operationId: 'listKnowledgeGaps',
    summary: 'Questions of the last 30 days without an answer in the knowledge, the most asked first',
    tags,
    response: { 200: z.strictObject({ data: z.array(KnowledgeGap), nextCursor: z.null() }) },
  },
} as const satisfies Endpoint

export const Passages = z.strictObject({
  data: z
    .array(
      z.strictObject({
        id: z.string(),
        text: z.string(),
        given: z.boolean(),
        score: z.number().describe('How well it fits by its words (BM25): only comparable within one answer'),
        words: z.array(z.string()).describe('Its words for which it was found, as they stand in it'),
        replies: z
          .int()
          .describe('Replies of the last 30 days that cite it as it is now, sent or held; simulations do not count'),
      }),
    )
    .describe('Those that share a word with the text, at most 12'),
  whole: z.boolean().describe('The knowledge is short, so the bot gets all of it, in this order'),
  passages: z.int().describe('All passages of the knowledge'),
})

export const findPassages = {
  method: 'POST',
  url: '/ice/knowledge/search',
  config: { gate: { role: 'VIEWER', feature: 'auto_reply' } },
  schema: {
    operationId: 'findPassages',
    summary: 'The passages that the bot would get for a question, the best first',
    tags,
    body: z.strictObject({ text: z.string().trim().min(1).max(4_000) }),
    response: { 200: Passages },
  },
} as const satisfies Endpoint
