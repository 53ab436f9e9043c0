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
  value: z.string().nullable().describe('What it is about, as it was written'),
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
    faults: z.array(RowFault).describe('What stands in the way of saving it'),
    warnings: z.array(RowFault).describe('What does not, and somebody should know'),
    checks: z.array(Check).describe('What was found of the post itself; what can never go out is not saved to go out'),
    postId: Id.nullable().describe('Once it is saved'),
  })
  .meta({ id: 'RowVerdict' })
export type RowVerdict = z.infer<typeof RowVerdict>

const Verdicts = z
  .strictObject({
    saved: z.boolean(),
    timezone: z.string().describe('In which times without an offset were read'),
    unknownColumns: z.array(z.string()).describe('Columns that nothing was made of'),
    rows: z.array(RowVerdict),
    rest: z.string().nullable().describe('Once it is saved, the lines that were not, as CSV'),
  })
  .meta({ id: 'ImportVerdicts' })
export type Verdicts = z.infer<typeof Verdicts>

export const importPosts = {
  method: 'POST',
  url: '/posts/import',
  config: { gate: { role: 'EDITOR', feature: 'publishing', quota: 'posts' } },
  schema: {
    operationId: 'importPosts',
    summary: 'Posts from a table as CSV: a verdict for each line, and with `save` posts of all lines or of those named',
    tags,
    body: z.strictObject({
      csv: z.string().min(1).max(1_000_000).describe('With a heading, such as an export has'),
      timezone: z
        .string()
        .max(64)
        .optional()
        .describe('For times without an offset; that of the workspace where it is not said'),
      save: z.boolean().optional().describe('Without it nothing is saved'),
      lines: z
        .array(z.int().min(2))
        .min(1)
        .max(MOST_ROWS)
        .optional()
        .describe('These alone; one with a fault saves none'),
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
    summary: 'Posts as CSV, oldest first, which can be imported again',
    tags,
    querystring: ExportFilter,
    produces: ['text/csv'],
    response: { 200: z.string() },
  },
} as const satisfies Endpoint
