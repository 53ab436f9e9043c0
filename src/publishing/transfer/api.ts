import * as z from 'zod'
import { Platform } from '../../networks/api.ts'
import { type Endpoint, Id, Timestamp } from '../../core/http/endpoint.ts'
import { Check, listPosts } from '../posts/api.ts'

/** The maximum number of posts in an import. */
export const MOST_ROWS = 500

const tags = ['Posts'] as const

/** A fault of a line in one of its columns; `column` is null if it concerns the line as a whole. */
export const RowFault = z.strictObject({
  column: z.string().nullable(),
  code: z.string(),
  value: z.string().nullable().describe('The value at fault, as written'),
  message: z.string(),
})
export type RowFault = z.infer<typeof RowFault>

/** What an import makes of one line. `line` counts the lines of the file; 1 is the heading. */
export const RowVerdict = z
  .strictObject({
    line: z.int(),
    verdict: z.enum(['ok', 'warning', 'error']),
    action: z.enum(['draft', 'submit', 'schedule', 'publish']),
    caption: z.string(),
    scheduledAt: Timestamp.nullable(),
    platforms: z.array(Platform),
    faults: z.array(RowFault).describe('Faults that prevent saving the row'),
    warnings: z.array(RowFault).describe('Faults that don’t prevent saving the row'),
    checks: z
      .array(Check)
      .describe(
        'Findings about the post. A post that could never be published is not saved to be scheduled or published',
      ),
    postId: Id.nullable().describe('Set once the row is saved'),
  })
  .meta({ id: 'RowVerdict' })
export type RowVerdict = z.infer<typeof RowVerdict>

const Verdicts = z
  .strictObject({
    saved: z.boolean(),
    timezone: z.string().describe('Time zone of times without an offset'),
    unknownColumns: z.array(z.string()).describe('Columns that were ignored'),
    rows: z.array(RowVerdict),
    rest: z.string().nullable().describe('Rows that weren’t saved, as CSV. Null unless posts were saved'),
  })
  .meta({ id: 'ImportVerdicts' })
export type Verdicts = z.infer<typeof Verdicts>

export const importPosts = {
  method: 'POST',
  url: '/posts/import',
  config: { gate: { role: 'EDITOR', feature: 'publishing', quota: 'posts' } },
  schema: {
    operationId: 'importPosts',
    summary: 'Check the posts in a CSV table, and save them with `save`',
    description:
      'Returns a verdict for each line. With `save`, creates posts from all lines, or from those in `lines`.',
    tags,
    body: z.strictObject({
      csv: z.string().min(1).max(1_000_000).describe('With a header row, as in an export'),
      timezone: z
        .string()
        .max(64)
        .optional()
        .describe('Time zone of times without an offset. Default: that of the workspace'),
      save: z.boolean().optional().describe('Saves the posts. Default: false, which only checks them'),
      lines: z
        .array(z.int().min(2))
        .min(1)
        .max(MOST_ROWS)
        .optional()
        .describe('Lines to save. Default: all. If one of them has a fault, none is saved'),
    }),
    response: { 200: Verdicts, 201: Verdicts },
  },
} as const satisfies Endpoint
export type ImportRequest = z.infer<typeof importPosts.schema.body>

export const ExportFilter = listPosts.schema.querystring.omit({ limit: true, cursor: true })
export type ExportFilter = z.infer<typeof ExportFilter>

export const exportPosts = {
  method: 'GET',
  url: '/posts/export',
  config: { gate: { role: 'VIEWER' } },
  schema: {
    operationId: 'exportPosts',
    summary: 'Export posts as CSV that can be imported again, newest first',
    tags,
    querystring: ExportFilter,
    produces: ['text/csv'],
    response: { 200: z.string() },
  },
} as const satisfies Endpoint
