import * as z from 'zod'
import { FirstCommentText } from '../options/api.ts'

export const PageOptions = z.strictObject({ kind: z.enum(['post', 'reel']).optional(), firstComment: FirstCommentText })
